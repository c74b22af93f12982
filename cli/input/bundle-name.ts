import { existsSync } from 'node:fs';
import { redactUrl, TerminalError } from '../../src/base/index.ts';

/** A bundle in a registry. */
export interface ImagePlace {
  readonly kind: 'image';
  readonly ref: string;
  /** Whether the word could have been meant as a file as well. */
  readonly isGuess: boolean;
}

/** Where a bundle is, by the word that a user wrote. */
export type BundlePlace =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'standard input' }
  | ImagePlace;

const imageScheme = /^(?:oci|docker):\/\//;

/** What people write who have the bundle somewhere else, and what helps them. */
const elsewhere: readonly { readonly pattern: RegExp; readonly text: string }[] = [
  {
    pattern: /^file:\/\//i,
    text: 'is an address of a file: write its path',
  },
  {
    pattern: /^(git\+|git:|ssh:)|^[\w.-]+@(?!sha\d+:)[\w.-]+:|^https?:\/\/[^?#]*\.git([#?/]|$)/i,
    text: 'is an address of a git repository: clone it, and name the folder of the bundle in it',
  },
  {
    pattern: /^https?:\/\//i,
    text: 'is an address in the web. A tar: curl -sL ADDRESS | longshore bundle … -. An image: leave the scheme out',
  },
  {
    pattern: /^[a-z][a-z\d+.-]*:\/\//i,
    text: 'has a scheme that is not known: expected a folder, a tar, - or HOST/REPOSITORY[:TAG][@DIGEST]',
  },
];

function assertReachable(word: string): void {
  const found = elsewhere.find(({ pattern }) => pattern.test(word));
  if (found !== undefined) throw new TerminalError('InvalidName', `"${redactUrl(word)}" ${found.text}`);
}

/** Reads the word that names a bundle: what exists is a path, and so is what looks like nothing else; `-` is standard input; the rest is the
 *  reference of an image, with oci:// or docker:// before it or without.
 *  @throws TerminalError InvalidName, with what to do, for addresses of other kinds */
export function readBundleName(word: string): BundlePlace {
  if (word === '') {
    throw new TerminalError('InvalidName', 'the name of a bundle is empty: expected a folder, a tar, - or an image');
  }
  if (word === '-') return { kind: 'standard input' };
  if (existsSync(word) || /^[./~]|\/$/.test(word)) return { kind: 'path', path: word };
  if (imageScheme.test(word)) return { kind: 'image', ref: word.replace(imageScheme, ''), isGuess: false };
  assertReachable(word);
  return { kind: 'image', ref: word, isGuess: !/[.:].*\//.test(word) };
}
