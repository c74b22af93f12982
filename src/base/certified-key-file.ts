import { readFile } from 'node:fs/promises';
import type { CertifiedKey } from './certificates.ts';
import { writeSecretFile } from './durable-files.ts';

/** The certificate and the key of a file; undefined where there is none, or not both in it. Whether they fit together is not checked.
 *  @throws errors of the file system but ENOENT */
export async function readCertifiedKey(path: string): Promise<CertifiedKey | undefined> {
  try {
    const text = await readFile(path, 'utf8');
    const at = text.indexOf('-----BEGIN PRIVATE KEY-----');
    return at <= 0 ? undefined : { certificatePem: text.slice(0, at), privateKeyPem: text.slice(at) };
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Writes a certificate and its key into one file, so that a certificate is never beside the key of another. Only this user may read it.
 *  @throws TerminalError FileNotWritten */
export async function writeCertifiedKey(path: string, { certificatePem, privateKeyPem }: CertifiedKey): Promise<void> {
  await writeSecretFile(path, `${certificatePem}${privateKeyPem}`);
}
