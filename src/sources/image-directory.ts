import { type JsonObject, objectAt, serverText, TerminalError, textAt } from '../base/index.ts';
import type { Staging } from '../content/index.ts';
import type { Descriptor } from './descriptor.ts';
import { fetchImageConfig } from './image-config.ts';
import type { RegistryPlaces } from './registry-places.ts';

const maxPathBytes = 4096;

/** A directory of an image that one of its labels names. */
export interface LabelledDirectory {
  readonly label: string;
  readonly path: readonly string[];
}

/** The directory that a label names in an image's configuration; `name` is the image's, for messages.
 *  @throws TerminalError LabelMissing, InvalidLabel */
export function readDirectoryLabel(name: string, label: string, document: JsonObject | undefined): LabelledDirectory {
  const value = textAt(objectAt(document, 'config', 'Labels'), label);
  if (value === '') {
    throw new TerminalError('LabelMissing', `catalog image is missing the required label "${label}"`);
  }
  const path = value.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (path.includes('..') || Buffer.byteLength(value) > maxPathBytes) {
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
): Promise<LabelledDirectory> {
  const document =
    config === undefined ? undefined : await places.ask(({ client }) => fetchImageConfig(client, name, config));
  return readDirectoryLabel(name, label, document);
}

/** Makes the directory the root of what is staged.
 *  @throws TerminalError DirectoryMissing */
export function moveToDirectory(staging: Staging, { label, path }: LabelledDirectory, name: string): void {
  if (staging.moveRootTo(path)) return;
  const text = `${name}: there is no directory "/${serverText(path.join('/'), 200)}", which label "${label}" names`;
  throw new TerminalError('DirectoryMissing', text);
}
