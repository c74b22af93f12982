import { type InstallPlan, installPlanResource } from '../../src/api/index.ts';
import { TerminalError } from '../../src/base/index.ts';
import { isConflict, type KubeClient } from '../../src/kube/index.ts';

/** Approves exactly the plan that was shown: one that was changed or replaced meanwhile is not approved.
 *  @throws TerminalError PlanChanged */
export async function approvePlan(kube: KubeClient, { metadata }: InstallPlan): Promise<void> {
  const { apiVersion, kind } = installPlanResource;
  const { namespace = '', name, uid = '', resourceVersion = '' } = metadata;
  try {
    const change = { metadata: { uid, resourceVersion }, spec: { approved: true } };
    await kube.patch({ apiVersion, kind, namespace, name }, change, { fieldManager: 'longshore' });
  } catch (thrown) {
    if (!isConflict(thrown)) throw thrown;
    const text = `InstallPlan "${name}" was changed meanwhile, and is not approved: look at it again`;
    throw new TerminalError('PlanChanged', text, { cause: thrown });
  }
}
