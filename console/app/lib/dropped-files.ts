/** A file of a bundle, as the server takes it. */
export interface BundleFile {
  readonly path: string;
  readonly base64: string;
  /** For the view of the source; undefined for what is no text, or a large one. */
  readonly text: string | undefined;
}

const maxFiles = 2_000;
const maxBytes = 20 * 1024 * 1024;
const maxTextBytes = 512 * 1024;

async function toBase64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let start = 0; start < bytes.length; start += 32_768) {
    text += String.fromCharCode(...bytes.subarray(start, start + 32_768));
  }
  return btoa(text);
}

async function read(path: string, file: File): Promise<BundleFile> {
  const isText = /\.(ya?ml|json|md|txt)$/.test(path) && file.size <= maxTextBytes;
  return { path, base64: await toBase64(file), text: isText ? await file.text() : undefined };
}

/** The files of an entry that was dropped, with their paths. */
async function walk(entry: FileSystemEntry, prefix: string): Promise<readonly (readonly [string, File])[]> {
  const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [[path, file]];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: (readonly [string, File])[] = [];
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    for (const one of entries) found.push(...(await walk(one, path)));
    if (found.length > maxFiles) throw new Error(`the folder has more than ${maxFiles} files`);
  }
}

/** Paths without the folder that all of them are in. */
function withoutRoot(files: readonly (readonly [string, File])[]): readonly (readonly [string, File])[] {
  const [first] = files;
  const root = first?.[0].includes('/') === true ? `${first[0].split('/')[0] ?? ''}/` : '';
  const isShared = root !== '' && files.every(([path]) => path.startsWith(root));
  return isShared ? files.map(([path, file]) => [path.slice(root.length), file] as const) : files;
}

async function readAll(files: readonly (readonly [string, File])[]): Promise<readonly BundleFile[]> {
  const bytes = files.reduce((sum, [, file]) => sum + file.size, 0);
  if (files.length > maxFiles || bytes > maxBytes)
    throw new Error(`a bundle has at most ${maxFiles} files and 20 MiB here`);
  return await Promise.all(withoutRoot(files).map(([path, file]) => read(path, file)));
}

/** The files of a drop: a folder, or an archive. */
export async function filesOfDrop(transfer: DataTransfer): Promise<readonly BundleFile[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files: (readonly [string, File])[] = [];
  for (const entry of entries) files.push(...(await walk(entry, '')));
  return await readAll(files);
}

/** The files that were chosen with an input. */
export async function filesOfInput(list: FileList): Promise<readonly BundleFile[]> {
  return await readAll([...list].map((file) => [file.webkitRelativePath || file.name, file] as const));
}
