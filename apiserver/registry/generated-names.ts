import { randomInt } from 'node:crypto';

/** With a suffix, a name has at most 63 characters, as a label may have. */
const maxBase = 58;

/** The characters of a random suffix: no vowels, nothing that looks like another. */
export const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** 5 characters by chance, as `generateName` puts them behind its base. */
export function randomSuffix(): string {
  return Array.from({ length: 5 }, () => suffixAlphabet.charAt(randomInt(suffixAlphabet.length))).join('');
}

/** A name that a server generates from its base. */
export function withSuffix(base: string): string {
  return base.slice(0, maxBase) + randomSuffix();
}
