import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { packageAnnotation } from '../../src/api/index.ts';
import { errorMessage, goQuote, redactUrl, serverText, TerminalError } from '../../src/base/index.ts';
import { configsLabel, databaseLabel, isDatabaseStart } from '../../src/catalog/index.ts';
import { type ImagePlace, readBundleName } from '../input/index.ts';
import type { OpenOptions } from './reading.ts';

/** What a reference is, in the words of messages; a stream is a catalog that a server, standard input or a database gives. */
export type ReferenceKind =
  | 'bundle directory'
  | 'bundle image'
  | 'declarative config directory'
  | 'declarative config image'
  | 'declarative config stream';

const maxShownLabels = 100;
const databaseStartBytes = 16;

async function kindAt(path: string): Promise<'folder' | 'file' | undefined> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}

async function isDatabase(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(databaseStartBytes), 0, databaseStartBytes);
  return isDatabaseStart(buffer.subarray(0, bytesRead));
}

async function pathKind(path: string): Promise<ReferenceKind> {
  const kind = await kindAt(path);
  if (kind === undefined) throw new TerminalError('NotFound', `stat ${path}: no such file or directory`);
  if (kind === 'file' && (await isDatabase(path))) return 'declarative config stream';
  if (kind === 'file')
    throw new TerminalError(
      'InvalidName',
      `ref ${goQuote(path)} is not a directory: a catalog in a file is read from standard input (-)`,
    );
  const parts = await Promise.all(['manifests', 'metadata'].map((name) => kindAt(join(path, name))));
  return parts.every((part) => part === 'folder') ? 'bundle directory' : 'declarative config directory';
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const keys = Object.keys(labels).sort((a, b) => (a < b ? -1 : 1));
  if (keys.length === 0) return ': image has no labels';
  return `, found labels\n${keys
    .slice(0, maxShownLabels)
    .map((key) => `  ${serverText(`${key}=${labels[key]}`, 200)}`)
    .join('\n')}`;
}

async function askLabels(
  { ref, isGuess }: ImagePlace,
  options: OpenOptions,
): Promise<Readonly<Record<string, string>>> {
  const { labelsIn } = await import('../oci/index.ts');
  try {
    return await labelsIn(ref, options);
  } catch (thrown) {
    const isMisuse = thrown instanceof TerminalError && thrown.reason === 'InvalidOption';
    if (!isGuess || isMisuse) throw thrown;
    const text = `${errorMessage(thrown)}; there is no file or folder "${ref}", so it was taken for an image`;
    throw new TerminalError('NotFound', text, { cause: thrown });
  }
}

async function imageKind(place: ImagePlace, options: OpenOptions): Promise<ReferenceKind> {
  const { ref } = place;
  const labels = await askLabels(place, options);
  if (Object.hasOwn(labels, configsLabel)) return 'declarative config image';
  if (Object.hasOwn(labels, packageAnnotation)) return 'bundle image';
  // Of an older image, whose catalog is a database.
  if (Object.hasOwn(labels, databaseLabel)) return 'declarative config image';
  const text = `render ${goQuote(redactUrl(ref))}: image type could not be determined${labelText(labels)}`;
  throw new TerminalError('UnsupportedImage', text);
}

/** What a reference is: folders by what is in them, images by their labels.
 *  @throws TerminalError InvalidName, UnsupportedImage and those of `labelsIn`
 *  @see docs/spec/catalogs.md#opm-render */
export async function referenceKind(name: string, options: OpenOptions): Promise<ReferenceKind> {
  if (/^(https?|grpc):\/\//i.test(name)) return 'declarative config stream';
  const place = readBundleName(name);
  if (place.kind === 'standard input') return 'declarative config stream';
  return place.kind === 'path' ? await pathKind(place.path) : await imageKind(place, options);
}
