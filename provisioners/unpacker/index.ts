/** Content work in worker threads: fetch, check, store, load. Its type is `Unpacker`; knows nothing of the API server. */

export type { BundleIdentity } from './bundle-identity.ts';
export { createUnpacker } from './create-unpacker.ts';
export { packRelease } from './packed-release.ts';
export { temporaryFolder } from './store-folders.ts';
export type {
  LoadedContent,
  LoadRequest,
  PackedRelease,
  SharedContents,
  UnpackedContent,
  Unpacker,
  UnpackerOptions,
  UnpackRequest,
  WorkOptions,
} from './unpacker.ts';
