import { cutText, TerminalError } from '../../base/index.ts';

/** The hash that names the objects of a repository. */
export interface ObjectFormat {
  readonly algorithm: 'sha1' | 'sha256';
  readonly oidBytes: number;
}

export const sha1Format: ObjectFormat = { algorithm: 'sha1', oidBytes: 20 };
export const sha256Format: ObjectFormat = { algorithm: 'sha256', oidBytes: 32 };

/** The format that a server names among its capabilities.
 *  @throws TerminalError UnsupportedRepository */
export function objectFormatOf(capabilities: ReadonlySet<string>): ObjectFormat {
  const prefix = 'object-format=';
  const name = [...capabilities].find((word) => word.startsWith(prefix))?.slice(prefix.length) ?? 'sha1';
  if (name === 'sha1') return sha1Format;
  if (name === 'sha256') return sha256Format;
  throw new TerminalError(
    'UnsupportedRepository',
    `object format ${JSON.stringify(cutText(name, 40))}: expected sha1 or sha256`,
  );
}

/** Names of the types of objects, by their numbers in a pack. */
export const objectTypes: ReadonlyMap<number, string> = new Map([
  [1, 'commit'],
  [2, 'tree'],
  [3, 'blob'],
  [4, 'tag'],
]);
