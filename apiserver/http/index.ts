/** The HTTP API: listener, request info, negotiation, the pipeline, one handler a verb, subresources, port-forward.
 *  Main type: `Pipeline`. Never writes to storage itself: that is `registry/`.
 *  @imports apiserver/registry, apiserver/auth, apiserver/apply, apiserver/protobuf, apiserver/patch,
 *    apiserver/schema, apiserver/storage, apiserver/core, src/rbac, src/schema, src/base
 *  @packages ws */
export type { ApiParts } from './api-parts.ts';
export { type Exchange, type HttpRequest, type HttpResponse, jsonReply, type Reply, textReply } from './exchange.ts';
export { hasBody } from './has-body.ts';
export { HeldStates } from './held-states.ts';
export { connectionPlaces, type ListenAddress, type Listener, listen } from './listener.ts';
export {
  aggregatedKind,
  mediaType,
  negotiateOutput,
  negotiateRoot,
  parseAccept,
  type Syntax,
  wantsPretty,
} from './negotiation.ts';
export { encodeValue } from './object-output.ts';
export { handlePatch } from './patch-handler.ts';
export { type Delegate, Pipeline } from './pipeline.ts';
export { PlainError } from './plain-error.ts';
export { type LocalAddress, PodPorts, PortForwardLimits } from './port-forward/index.ts';
export { wholeBody } from './reply-body.ts';
export type { DelegatedRequest, GuardedRequest, RequestGuard } from './request-guard.ts';
export type { RequestInfo, ResourceRequest } from './request-info.ts';
export { subresourceHandlers } from './subresources/index.ts';
export { tokenKeyPaths } from './token-keys.ts';
export { TransferLimits } from './transfer-limits.ts';
export { healthPaths, kubernetesVersion } from './version-and-health.ts';
export { WatchLimits } from './watch-limits.ts';
