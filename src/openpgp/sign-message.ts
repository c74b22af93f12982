import { errorMessage, TerminalError } from '../base/index.ts';
import { readLibrary } from './library.ts';

/** A private key, as `gpg --export-secret-keys --armor` writes it. */
export interface SigningKey {
  readonly armored: string;
  /** Of a key that has one. */
  readonly passphrase: string | undefined;
}

type PrivateKey = Awaited<ReturnType<typeof import('openpgp').readPrivateKey>>;

async function unlock({ armored, passphrase }: SigningKey): Promise<PrivateKey> {
  const { library, config } = await readLibrary();
  const key = await library.readPrivateKey({ armoredKey: armored, config });
  if (key.isDecrypted()) return key;
  if (passphrase === undefined) throw new Error('the key has a passphrase');
  return await library.decryptKey({ privateKey: key, passphrase, config });
}

/** Signs a content: an OpenPGP message that has it, as `gpg --sign` writes it.
 *  @throws TerminalError InvalidKey; its message has nothing of the key */
export async function signMessage(content: Buffer, key: SigningKey): Promise<Buffer> {
  const { library, config } = await readLibrary();
  let signingKeys: PrivateKey;
  try {
    signingKeys = await unlock(key);
  } catch (thrown) {
    const expected = 'expected an OpenPGP private key, as of: gpg --export-secret-keys --armor KEY';
    throw new TerminalError('InvalidKey', `${expected}: ${errorMessage(thrown)}`, { cause: thrown });
  }
  const message = await library.createMessage({ binary: new Uint8Array(content) });
  return Buffer.from(await library.sign({ message, signingKeys, format: 'binary', config }));
}
