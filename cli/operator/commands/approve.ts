import { type InstallPlan, installPlanResource, parseInstallPlan } from '../../../src/api/index.ts';
import { printable, TerminalError } from '../../../src/base/index.ts';
import { isNotFound, type KubeClient } from '../../../src/kube/index.ts';
import { approvePlan, explainMissing, openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { confirm, createProgress } from '../../output/index.ts';
import { findSubscription, operatorOf } from '../objects.ts';
import { describePlan } from '../plan-text.ts';
import { isNextPlan, whenReached } from '../wait.ts';

type Values = OptionValues<typeof kubeconfigOption> & {
  readonly namespace: string;
  readonly yes: boolean;
  readonly timeout: number;
};

async function planNamed(kube: KubeClient, namespace: string, name: string): Promise<InstallPlan | undefined> {
  const { apiVersion, kind } = installPlanResource;
  try {
    return parseInstallPlan(await explainMissing(kube.get({ apiVersion, kind, namespace, name })));
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** @throws TerminalError OperatorNotFound */
async function planOfPackage(kube: KubeClient, namespace: string, name: string): Promise<InstallPlan | undefined> {
  try {
    return (await operatorOf(kube, await findSubscription(kube, namespace, name))).plan;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'OperatorNotFound') throw thrown;
    throw new TerminalError(thrown.reason, `no InstallPlan "${name}", and ${thrown.message}`, { cause: thrown });
  }
}

/** The plan of that name, or the one that the Subscription waits for.
 *  @throws TerminalError OperatorNotFound, NothingToApprove */
async function pendingPlan(kube: KubeClient, namespace: string, name: string): Promise<InstallPlan> {
  const named = await planNamed(kube, namespace, name);
  const plan = named ?? (await planOfPackage(kube, namespace, name));
  if (plan !== undefined && !plan.spec.approved && plan.status?.phase === 'RequiresApproval') return plan;
  const why =
    plan === undefined ? 'there is no InstallPlan' : `InstallPlan "${plan.metadata.name}" is ${plan.status?.phase}`;
  throw new TerminalError('NothingToApprove', `"${name}" waits for no approval: ${why}`);
}

/** `longshore operator approve`: approves a plan, and waits until what a named operator needs is installed. */
export async function approve(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  const plan = await pendingPlan(kube, values.namespace, name);
  const planName = plan.metadata.name;
  const about = `InstallPlan ${planName} installs:\n${describePlan(plan)}`;
  if (values.yes) process.stdout.write(about);
  else {
    const unasked = `there is no terminal to ask on: approve InstallPlan "${planName}" with --yes. Nothing was changed`;
    await confirm({ about, text: 'Approve it?', unasked });
  }
  await approvePlan(kube, plan);
  process.stdout.write(`InstallPlan ${planName} approved\n`);
  if (planName === name) return 0;
  using line = createProgress(process.stderr, { isQuiet: false });
  const subscription = await findSubscription(kube, values.namespace, name);
  const { progress, operator } = await whenReached({ kube, timeoutMs: values.timeout, line }, subscription, (one) => {
    const isDone = one.progress.state === 'installed' && one.operator.plan?.status?.phase === 'Complete';
    return isDone || isNextPlan(one, planName);
  });
  line.clear();
  if (progress.state === 'approval') process.stdout.write(`${operator.csv?.metadata.name} is installed\n`);
  process.stdout.write(`${printable(progress.text)}\n`);
  return 0;
}
