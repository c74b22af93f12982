/** What is installed, in one vocabulary: BundleDeployments, charts, platform operators, ClusterExtensions and Subscriptions as an `Installation` with a
 *  status word, the steps that it took, and what the user can do. Pure: reads objects that are passed in, and never talks to a cluster.
 *  @imports src/installations/contract, src/kube, src/api, src/base */

export { catalogProblem, catalogState } from './catalog-state.ts';
export { type DeploymentFacts, deploymentFacts, type Revision, revisionsOf } from './deployment-facts.ts';
export { installationOfDeployment, type UnpackingBundle, unpackingOf } from './deployment-installation.ts';
export { explainOperator, formatProgress, type Progress } from './explain.ts';
export { installationOfExtension } from './extension-installation.ts';
export type { InstalledOperator } from './installed-operator.ts';
export { installationOfOperator } from './operator-installation.ts';
export { installationOfPlatformOperator } from './platform-installation.ts';
