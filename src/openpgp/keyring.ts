import type { PublicKey } from 'openpgp';
import { errorMessage, TerminalError } from '../base/index.ts';
import { armoredBlocks } from './armored-keys.ts';

/** Public keys, each of which may sign. */
export interface Keyring {
  /** As messages name it. */
  readonly name: string;
  readonly keys: readonly PublicKey[];
  /** Of the primary keys, upper case. */
  readonly fingerprints: readonly string[];
}

const maxKeyringBytes = 1024 * 1024;
const maxKeys = 100;

function refuse(name: string, why: string, cause?: unknown): never {
  const text = `${name}: ${why}: expected OpenPGP public keys, as of: gpg --export --armor KEY`;
  throw new TerminalError('InvalidKeyring', text, { cause });
}

async function readKeys(content: Buffer): Promise<PublicKey[]> {
  const { readKeys: read } = await import('openpgp');
  const blocks = armoredBlocks(content.toString('latin1'));
  if (blocks.length === 0) return await read({ binaryKeys: new Uint8Array(content) });
  if (blocks.length > maxKeys) throw new Error(`more than ${maxKeys} keys`);
  return (await Promise.all(blocks.map((armoredKeys) => read({ armoredKeys })))).flat();
}

/** Reads a key ring, armored or binary; `name` is for messages. Whether a key may sign is checked with each signature.
 *  @throws TerminalError InvalidKeyring */
export async function readKeyring(name: string, content: Buffer): Promise<Keyring> {
  if (content.length > maxKeyringBytes) refuse(name, `more than ${maxKeyringBytes} bytes`);
  if (content.includes('PRIVATE KEY BLOCK')) refuse(name, 'a private key, which must stay with its owner');
  let keys: PublicKey[];
  try {
    keys = await readKeys(content);
  } catch (thrown) {
    return refuse(name, `cannot be read: ${errorMessage(thrown)}`, thrown);
  }
  if (keys.some((key) => key.isPrivate())) refuse(name, 'a private key, which must stay with its owner');
  if (keys.length > maxKeys) refuse(name, `more than ${maxKeys} keys`);
  return { name, keys, fingerprints: keys.map((key) => key.getFingerprint().toUpperCase()) };
}

/** The key of the ring, its primary key or a subkey, that has this ID.
 *  @throws Error for none */
export function keyWithId({ keys }: Keyring, keyId: string): PublicKey {
  const found = keys.find((key) => key.getKeys().some((one) => one.getKeyID().toHex() === keyId));
  if (found === undefined) throw new Error('invalid signature');
  return found;
}
