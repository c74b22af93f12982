/** Installs Longshore on a cluster and removes it: manifests, what is installed, readiness. Its commands are in `commands.ts`.
 *  @imports cli/client, cli/output, cli/command, src/apply, src/kube, src/api, src/base */
export { isOurs } from './installed.ts';
export { formerObjects, readClientRoles, readManifests } from './manifests.ts';
export { assertNoOtherOlm, findOtherOlm, hasOlm } from './olm.ts';
export { othersIn } from './others-in.ts';
export { leaveOthersKinds } from './others-kinds.ts';
