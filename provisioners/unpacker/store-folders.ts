/** Where files are while they come; on the same file system, and swept when the store is opened. */
export function temporaryFolder(storeDir: string): string {
  return `${storeDir}/temporary`;
}

/** Where rendered charts are stored; emptied when the store is opened, because only the process that has written them reads them. */
export function renditionsFolder(storeDir: string): string {
  return `${storeDir}/renditions`;
}
