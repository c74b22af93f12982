const blockBytes = 512;

/** One entry of a tar, written as asked, without any check: tests build hostile archives with it. */
export interface TarEntry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  /** Tar type flag; default `0` (file), or `5` when the path ends with a slash. */
  readonly typeFlag?: string;
  readonly linkPath?: string;
  readonly mode?: number;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

function paxRecord(key: string, value: string): string {
  const body = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(body) + 1;
  while (String(length).length + Buffer.byteLength(body) !== length) length += 1;
  return `${length}${body}`;
}

function header(entry: TarEntry, sizeBytes: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write(entry.path.slice(0, 100), 0, 100, 'utf8');
  block.write(octal(entry.mode ?? 0o644, 8), 100);
  block.write(octal(0, 8) + octal(0, 8), 108);
  block.write(octal(sizeBytes, 12) + octal(0, 12), 124);
  block.write('        ', 148);
  block.write(entry.typeFlag ?? (entry.path.endsWith('/') ? '5' : '0'), 156);
  block.write((entry.linkPath ?? '').slice(0, 100), 157, 100, 'utf8');
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function padded(content: Uint8Array): Buffer {
  return Buffer.concat([content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)]);
}

function isLong(text: string | undefined): text is string {
  return text !== undefined && Buffer.byteLength(text) > 100;
}

function entryBytes(entry: TarEntry): Buffer {
  const content = Buffer.from(entry.content ?? '');
  const records = [
    ...(isLong(entry.path) ? [paxRecord('path', entry.path)] : []),
    ...(isLong(entry.linkPath) ? [paxRecord('linkpath', entry.linkPath)] : []),
  ].join('');
  const pax =
    records === ''
      ? []
      : [header({ path: 'pax', typeFlag: 'x' }, Buffer.byteLength(records)), padded(Buffer.from(records))];
  return Buffer.concat([...pax, header(entry, content.length), padded(content)]);
}

/** A tar archive of exactly these entries, in this order. */
export function tarFile(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.map(entryBytes), Buffer.alloc(2 * blockBytes)]);
}

/** Entries of plain files from a map of paths to contents. */
export function fileEntries(files: Readonly<Record<string, string | Uint8Array>>): TarEntry[] {
  return Object.entries(files).map(([path, content]) => ({ path, content }));
}
