/** A bundle's files: safe archives in, a content-addressed store on disk. Main types: `Staging`, which sources fill, and
 * `ContentStore`, which keeps what was checked.
 *
 * Never writes a path that came from outside, never follows a link, never keeps half of something.
 *  @imports src/metrics, src/base
 *  @packages send, tar */
export { type ArchiveOptions, extractArchive, takesDirectory } from './archive.ts';
export type { StoreUsage } from './budget.ts';
export { canonicalTar } from './canonical-tar.ts';
export {
  type ContentAccess,
  type ContentReply,
  type ContentRequest,
  type ContentServer,
  type ContentServerOptions,
  type ContentUser,
  startContentServer,
} from './content-server.ts';
export { isArchiveStart, windowTooLarge } from './decompress.ts';
export type { DirectoryEntry } from './directory.ts';
export { explainFullDisk, pieceBytesOf, removeFile } from './disk.ts';
export type { FileNode } from './file-tree.ts';
export { FileWriter } from './file-writer.ts';
export { lockFolder } from './folder-lock.ts';
export type { ForwardTarget } from './forward.ts';
export { type ArchiveEntry, listArchive } from './listing.ts';
export { createLocks, type KeyedLocks, type LockWait } from './locks.ts';
export { packDirectory, packStaged, stageFolder } from './pack.ts';
export { type PackedFile, type PackedFiles, packFiles, readPackedFiles } from './packed-files.ts';
export { type PackedObjects, packObjects } from './parsed-objects.ts';
export type { ContentRecord } from './records.ts';
export { type LayerWriter, type StagedFiles, Staging, type StagingRoom } from './staging.ts';
export { type CommitOptions, ContentStore, type ContentStoreOptions } from './store.ts';
export { type ReceivedUpload, Uploads, type UploadTarget, uploadPath, uploadsFolder } from './uploads.ts';
export { writeFolder } from './write-folder.ts';
