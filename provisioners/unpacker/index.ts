/** Content work in worker threads: fetch, check, store, load. Its type is `Unpacker`; knows nothing of the API server. */
export { createUnpacker } from './create-unpacker.ts';
export { temporaryFolder, uploadsFolder } from './settings.ts';
export type {
  BundleIdentity,
  SharedContents,
  UnpackedContent,
  Unpacker,
  UnpackerOptions,
  UnpackRequest,
  WorkOptions,
} from './unpacker.ts';
