import { type JsonObject, objectAt, serverText, TerminalError, textAt } from '../base/index.ts';
import type { Staging } from '../content/index.ts';
import type { Descriptor } from './descriptor.ts';
import { fetchImageConfig } from './image-config.ts';
import type { RegistryPlaces } from './registry-places.ts';

const maxPathBytes = 4096;

/** A directory of an image, and the label of the image that names it, if one does. */
export interface NamedDirectory {
  readonly label?: string;
  readonly path: readonly string[];
}

/** Undefined for a path that leaves the image. */
function segmentsOf(text: string): readonly string[] | undefined {
  const path = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  return path.includes('..') || Buffer.byteLength(text) > maxPathBytes ? undefined : path;
}

/** The directory of a path in an image; `name` is the image's, for messages.
 *  @throws TerminalError InvalidDirectory */
export function readDirectory(name: string, text: string): NamedDirectory {
  const path = segmentsOf(text);
  if (path !== undefined) return { path };
  throw new TerminalError('InvalidDirectory', `${name}: "${serverText(text, 200)}": expected the path of a directory`);
}

/** The directory that a label names in an image's configuration; `name` is the image's, for messages.
 *  @throws TerminalError LabelMissing, InvalidLabel */
export function readDirectoryLabel(name: string, label: string, document: JsonObject | undefined): NamedDirectory {
  const value = textAt(objectAt(document, 'config', 'Labels'), label);
  if (value === '') {
    throw new TerminalError('LabelMissing', `catalog image is missing the required label "${label}"`);
  }
  const path = segmentsOf(value);
  if (path === undefined) {
    throw new TerminalError('InvalidLabel', `${name}: label "${label}": expected the path of a directory`);
  }
  return { label, path };
}

/** Asks the image's configuration for the directory.
 *  @throws TerminalError LabelMissing, InvalidLabel · those of the client */
export async function findDirectory(
  { places, name }: { readonly places: RegistryPlaces; readonly name: string },
  label: string,
  config: Descriptor | undefined,
): Promise<NamedDirectory> {
  const document =
    config === undefined ? undefined : await places.ask(({ client }) => fetchImageConfig(client, name, config));
  return readDirectoryLabel(name, label, document);
}

/** Makes the directory the root of what is staged.
 *  @throws TerminalError DirectoryMissing */
export function moveToDirectory(staging: Staging, { label, path }: NamedDirectory, name: string): void {
  if (staging.moveRootTo(path)) return;
  const origin = label === undefined ? '' : `, which label "${label}" names`;
  const text = `${name}: there is no directory "/${serverText(path.join('/'), 200)}"${origin}`;
  throw new TerminalError('DirectoryMissing', text);
}
