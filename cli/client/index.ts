/** The cluster that a command works on: kubeconfig, content server, names of objects, definitions.
 *  @imports cli/command, src/kube, src/api, src/base */
export { approvePlan } from './approve-plan.ts';
export { type AvailableChannel, type AvailablePackage, explainMissing, listPackages } from './available-packages.ts';
export { type ContentClient, contentClientOf, createContentClient, describeRefusal } from './content-client.ts';
export { readClusterVersionCrds, readCrds, readMachineCrds, readOlmCrds, untilEstablished } from './crds.ts';
export { readDeployFile } from './deploy-files.ts';
export { deploymentOfExtension, resolveTarget } from './extension.ts';
export { openKube, readAccess } from './kubeconfig.ts';
export { listServed } from './list-served.ts';
export { namedSubscription } from './named-subscription.ts';
export { isTooOld, oldestKubernetes } from './oldest-kubernetes.ts';
export { parseTarget, type Target } from './target.ts';
