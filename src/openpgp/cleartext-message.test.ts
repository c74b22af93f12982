import { beforeAll, expect, test } from 'vitest';
import { createOpenpgpSigner, type OpenpgpSigner } from '../../test/support/openpgp-signer.ts';
import { describeArmoredKeys } from './armored-keys.ts';
import { maxCleartextBytes, verifyCleartextMessage } from './cleartext-message.ts';
import { type Keyring, readKeyring } from './keyring.ts';

const now = new Date('2025-01-01T00:00:00Z');
const text = 'name: ahoy\n- a dash\nspaces  \n\n...\nfiles: {}\n';
let [signer, other]: OpenpgpSigner[] = [];
let keyring: Keyring;
let message = '';

beforeAll(async () => {
  [signer, other] = await Promise.all([createOpenpgpSigner(), createOpenpgpSigner('rsa')]);
  keyring = await readKeyring('ring', Buffer.from(signer?.publicKey ?? ''));
  message = (await signer?.signClear(text)) ?? '';
});

async function verified(cleartext: string): Promise<string> {
  return (await verifyCleartextMessage(cleartext, keyring, now)).content.toString();
}

test('the text is what was signed: without escapes, and without spaces at the ends of lines', async () => {
  const signed = text.replace('  \n', '\n');
  expect(await verified(message)).toBe(signed);
  expect(await verified(message.replaceAll(/\r?\n/g, '\r\n'))).toBe(signed);
  expect(await verified(`not signed\n${message}\nnot signed either\n`)).toBe(signed);
});

test('RSA keys sign as well', async () => {
  const ring = await readKeyring('ring', Buffer.from(`${signer?.publicKey}${other?.publicKey}`));
  const { fingerprint } = await verifyCleartextMessage((await other?.signClear('hello')) ?? '', ring, now);
  expect(fingerprint).toBe(other?.fingerprint);
});

test.each([
  { name: 'another text', change: (of: string) => of.replace('ahoy', 'other'), problem: 'signature error: ' },
  { name: 'more text', change: (of: string) => of.replace('\nfiles', '\nmore\nfiles'), problem: 'signature error: ' },
  { name: 'a header', change: (of: string) => of.replace('Hash: ', 'Name: x\nHash: '), problem: 'could not read' },
  {
    name: 'no signature',
    change: (of: string) => of.slice(0, of.indexOf('-----BEGIN PGP SIG')),
    problem: 'could not read',
  },
  { name: 'no message', change: () => 'hello', problem: 'expected -----BEGIN PGP SIGNED MESSAGE-----' },
  {
    name: 'a block of very many packets',
    change: (of: string) => {
      const packets = Buffer.alloc(600_000, Buffer.from([0xc2, 0]))
        .toString('base64')
        .replaceAll(/.{64}/g, '$&\n');
      return `${of.slice(0, of.indexOf('-----BEGIN PGP SIGNATURE'))}-----BEGIN PGP X-----\n\n${packets}\n-----END PGP X-----\n`;
    },
    problem: 'signatures of more than 32768 bytes',
  },
  {
    name: 'very many lines',
    change: (of: string) => of.replace('\nfiles', `${'\n'.repeat(500_000)}files`),
    problem: 'more than 100000 lines',
  },
  { name: 'too much', change: (of: string) => `${of}${' '.repeat(maxCleartextBytes)}`, problem: 'more than the limit' },
])('$name is refused', async ({ change, problem }) => {
  await expect(verified(change(message))).rejects.toThrow(problem);
});

test('the signature of a key that is not in the ring does not count', async () => {
  await expect(verified((await other?.signClear(text)) ?? '')).rejects.toThrow(/^invalid signature$/);
});

test('armored keys are recognized without the library', () => {
  expect(describeArmoredKeys(`${signer?.publicKey}\n${other?.publicKey.replaceAll('\n', '\r\n')}`)).toBeUndefined();
  expect(describeArmoredKeys('-----BEGIN PGP PRIVATE KEY BLOCK-----')).toContain('a private key');
  for (const odd of [
    '',
    'hello',
    message,
    signer?.publicKey.slice(0, 300),
    signer?.publicKey.replace('\n\n', '\n\nAAAA'),
  ]) {
    expect(describeArmoredKeys(odd ?? '')).toBe('something else');
  }
});
