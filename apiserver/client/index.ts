/** A client within the server's own process, for tests. Main type: `ClusterClient`. Knows kinds from the server's own registry;
 *  its requests pass the whole server, but no network.
 *  @imports apiserver/http, apiserver/core, src/base */
export { ApiError } from './api-error.ts';
export {
  type ApplyOptions,
  type ClientDeleteOptions,
  ClusterClient,
  type PatchOptions,
  type RawAnswer,
  type RawRequest,
  type Selection,
  type WatchSelection,
  type WriteOptions,
} from './client.ts';
export { DirectConnection } from './connection.ts';
export type { ApiObject, ApiObjectMeta, KindReference, ObjectReference } from './references.ts';
export { Watch, type WatchEvent } from './watch.ts';
