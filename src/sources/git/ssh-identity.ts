import { writeFile } from 'node:fs/promises';
import { TerminalError } from '../../base/index.ts';
import type { SourceSecret } from '../source.ts';

const keyName = 'ssh-privatekey';
const hostsName = 'ssh-knownhosts';
const maxKeyBytes = 64 * 1024;
const opensshMagic = 'openssh-key-v1\0';

/** Names of the files that `writeIdentity` makes. */
export const identityFile = 'identity';
export const knownHostsFile = 'known_hosts';

function refuse(text: string): never {
  throw new TerminalError('InvalidSecret', `configuring Auth error: ${text}`);
}

function valueOf({ name, data = {} }: SourceSecret, key: string, hint = ''): string {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined) return refuse(`secret "${name}" has no key "${key}"${hint}`);
  return Buffer.from(value, 'base64').toString();
}

/** Whether a key in OpenSSH's own form names a cipher.
 *  @see PROTOCOL.key of OpenSSH */
function isEncryptedOpenssh(body: string): boolean {
  const bytes = Buffer.from(body, 'base64');
  const start = opensshMagic.length;
  if (bytes.length < start + 4 || bytes.subarray(0, start).toString('latin1') !== opensshMagic) return false;
  const cipher = bytes.subarray(start + 4, start + 4 + bytes.readUInt32BE(start));
  return cipher.toString('latin1') !== 'none';
}

/** The private key as ssh reads it: Unix line ends, and one at the end.
 *  @throws TerminalError InvalidSecret */
export function readPrivateKey(secret: SourceSecret): string {
  const text = valueOf(secret, keyName).replace(/\r\n?/g, '\n').trim();
  const where = `secret "${secret.name}", key "${keyName}"`;
  const match = /^-----BEGIN ((?:[A-Z]+ )*)PRIVATE KEY-----\n([^]*)\n-----END \1PRIVATE KEY-----$/.exec(text);
  if (match === null || text.length > maxKeyBytes) {
    return refuse(`${where}: expected a private key in PEM or OpenSSH form`);
  }
  const [, label = '', body = ''] = match;
  const isEncrypted = label.includes('ENCRYPTED') || /^Proc-Type:.*ENCRYPTED/m.test(body);
  if (isEncrypted || (label === 'OPENSSH ' && isEncryptedOpenssh(body))) {
    return refuse(`${where}: the key is encrypted: expected one without a passphrase`);
  }
  return `${text}\n`;
}

/** Puts the key and the known hosts of a Secret into a private folder. Without a check of hosts any host key is accepted.
 *  @throws TerminalError InvalidSecret, naming what is missing */
export async function writeIdentity(
  folder: string,
  secret: SourceSecret | undefined,
  server: { readonly host: string; readonly checksHost: boolean },
): Promise<void> {
  if (secret === undefined) return refuse(`git over SSH needs a Secret with the key "${keyName}" in auth.secret`);
  await writeFile(`${folder}/${identityFile}`, readPrivateKey(secret), { mode: 0o600, flag: 'wx' });
  const hint = `: the key of the host ${server.host} cannot be checked; auth.insecureSkipVerify: true accepts any`;
  const knownHosts = server.checksHost ? valueOf(secret, hostsName, hint) : '';
  await writeFile(`${folder}/${knownHostsFile}`, `${knownHosts}\n`, { mode: 0o600, flag: 'wx' });
}
