/** Where uploads are kept. */
export function uploadsFolder(storeDir: string): string {
  return `${storeDir}/uploads`;
}

/** Where files are while they come; on the same file system, and swept when the store is opened. */
export function temporaryFolder(storeDir: string): string {
  return `${storeDir}/temporary`;
}
