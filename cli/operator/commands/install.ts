import { type Subscription, subscriptionResource } from '../../../src/api/index.ts';
import { TerminalError } from '../../../src/base/index.ts';
import type { KubeClient } from '../../../src/kube/index.ts';
import { type AvailablePackage, approvePlan, listPackages, openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { readMappingFile } from '../../input/index.ts';
import { confirm, createProgress, type Progress } from '../../output/index.ts';
import { catalogProblems } from '../catalog-problems.ts';
import { type Prepared, prepare, undo } from '../install.ts';
import type { installOperatorOptions } from '../options.ts';
import { chooseChannel, choosePackage, startingCsv } from '../packages.ts';
import { describePlan } from '../plan-text.ts';
import { targetsOf } from '../targets.ts';
import { isNextPlan, type Reached, whenReached } from '../wait.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof installOperatorOptions> & {
  readonly namespace: string;
  readonly timeout: number;
  readonly yes: boolean;
};

const configFields = 'the fields of spec.config of a Subscription: env, resources and the like';

interface Installing {
  readonly kube: KubeClient;
  readonly values: Values;
  readonly line: Progress;
}

/** Shows what will be installed, and asks. */
async function confirmPlan({ operator }: Reached, { created, subscription }: Prepared, isYes: boolean): Promise<void> {
  const { plan } = operator;
  if (plan === undefined) throw new TerminalError('OperatorNotInstalled', 'there is no InstallPlan');
  const made = created.map(({ kind, metadata }) => `    ${kind} ${metadata.name}\n`).join('');
  const about = `Installing ${subscription.spec.name} into namespace ${subscription.metadata.namespace}:\n  created for it:\n${made}${describePlan(plan)}`;
  if (isYes) {
    process.stdout.write(about);
    return;
  }
  const unasked = 'there is no terminal to ask on: confirm with --yes. Nothing was installed';
  await confirm({ about, text: 'Install it?', unasked });
}

/** A plan that was made before stays as it was: it is approved here. */
async function followUpgrades(
  kube: KubeClient,
  { metadata }: Subscription,
  { operator, progress }: Reached,
): Promise<void> {
  const { apiVersion, kind } = subscriptionResource;
  const { namespace = '', name, uid = '' } = metadata;
  const change = { metadata: { uid }, spec: { installPlanApproval: 'Automatic' } };
  await kube.patch({ apiVersion, kind, namespace, name }, change, { fieldManager: 'longshore' });
  if (progress.state === 'approval' && operator.plan !== undefined) await approvePlan(kube, operator.plan);
}

/** Until it is confirmed, everything that was made is removed again. The answer is the name of the plan. */
async function planOf({ kube, values, line }: Installing, prepared: Prepared): Promise<string> {
  const timeoutMs = values.timeout;
  try {
    const waiting = { kube, timeoutMs, line };
    const reached = await whenReached(waiting, prepared.subscription, ({ progress, operator }) => {
      return progress.state === 'approval' || operator.plan?.spec.approved === true;
    });
    line.clear();
    await confirmPlan(reached, prepared, values.yes);
    const { plan } = reached.operator;
    if (plan !== undefined && !plan.spec.approved) await approvePlan(kube, plan);
    return plan?.metadata.name ?? '';
  } catch (thrown) {
    line.clear();
    await undo(kube, prepared.created);
    throw thrown;
  }
}

/** @throws TerminalError PackageNotFound, with the catalogs that cannot be read; CatalogAmbiguous */
async function findPackage(kube: KubeClient, { namespace, catalog }: Values, name: string): Promise<AvailablePackage> {
  try {
    return choosePackage(await listPackages(kube, namespace), name, catalog);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'PackageNotFound') throw thrown;
    const problems = await catalogProblems(kube);
    throw new TerminalError(thrown.reason, [thrown.message, ...problems].join('\n'), { cause: thrown });
  }
}

/** `longshore operator install` */
export async function install(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  using line = createProgress(process.stderr, { isQuiet: false });
  const { namespace, approval, timeout: timeoutMs } = values;
  const found = await findPackage(kube, values, name);
  const channel = chooseChannel(found, values.channel);
  const { installModes } = channel;
  const watched = values['watch-namespace'];
  const isEverywhere = values['all-namespaces'];
  const config =
    values.config === undefined ? {} : { config: await readMappingFile('--config', values.config, configFields) };
  const prepared = await prepare(kube, {
    ...config,
    namespace,
    packageName: name,
    channel: channel.name,
    catalog: found.catalog,
    startingCsv: startingCsv(channel, values.version),
    // Also with --approval Automatic, so that the plan can be shown before anything is installed.
    approval: 'Manual',
    targetNamespaces: isEverywhere ? [] : targetsOf(watched, namespace, installModes),
    areTargetsNamed: isEverywhere || watched.length > 0,
    installModes,
  });
  const planName = await planOf({ kube, values, line }, prepared);
  const reached = await whenReached({ kube, timeoutMs, line }, prepared.subscription, (one) => {
    return one.progress.state === 'installed' || isNextPlan(one, planName);
  });
  line.clear();
  if (approval === 'Automatic') await followUpgrades(kube, prepared.subscription, reached);
  process.stdout.write(`${reached.operator.csv?.metadata.name} is installed\n`);
  return 0;
}
