/** A file takes an inode and a block, and a turn whenever its folder is looked through. */
const leastBytes = 16 * 1024;

/** What a file counts in a budget that others fill: very many small files would be as good as none if their bytes alone counted. */
export function fileRoom(sizeBytes: number): number {
  return Math.max(sizeBytes, leastBytes);
}
