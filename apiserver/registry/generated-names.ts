import { randomInt } from 'node:crypto';

/** The characters of a random suffix: no vowels, nothing that looks like another. */
export const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** 5 characters by chance, as `generateName` puts them behind its base. */
export function randomSuffix(): string {
  return Array.from({ length: 5 }, () => suffixAlphabet.charAt(randomInt(suffixAlphabet.length))).join('');
}
