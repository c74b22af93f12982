import { TerminalError } from '../base/index.ts';
import { type BasicCredentials, readBasicCredentials } from './basic-auth.ts';
import { assertMayReceive, assertNamesHost, assertVerified, type Recipient, shownHost } from './credential-hosts.ts';
import { findCredentials, isDockerConfig, openKeyring } from './pull-credentials.ts';
import type { SourceSecret } from './source.ts';

/** The entry of a docker configuration for a server. A key without a scheme is for HTTPS alone: credentials are not sent in plain text unless the key
 *  begins with `http://`. */
function readEntry(secret: SourceSecret, address: string): BasicCredentials | undefined {
  const { protocol, hostname, port, pathname } = new URL(address);
  const isPlain = protocol === 'http:';
  const { entries, ...rest } = openKeyring({ secrets: [secret] });
  const keyring = { ...rest, entries: entries.filter(({ key }) => key.startsWith('http://') === isPlain) };
  const hosts = port === '' ? [hostname, `${hostname}:${isPlain ? 80 : 443}`] : [`${hostname}:${port}`];
  for (const registry of hosts) {
    const { credentials } = findCredentials(keyring, { registry, repository: pathname.slice(1) });
    if (credentials !== undefined) return credentials;
  }
  return undefined;
}

function readDockerConfig(secret: SourceSecret, recipient: Recipient): BasicCredentials {
  const { address } = recipient;
  if (secret.hosts !== undefined) assertNamesHost(secret, address, false);
  const credentials = readEntry(secret, address);
  if (credentials === undefined) {
    const text = `secret "${secret.name}" is not for the host ${shownHost(address)}: its docker configuration has no entry for it; add one with that key`;
    throw new TerminalError('HostNotNamed', text);
  }
  assertVerified(secret, recipient);
  return credentials;
}

/** The credentials of a Secret for a git or web server, from `username` and `password`, which the annotation of the Secret binds to hosts, or from a docker
 *  configuration, whose keys do.
 *  @throws TerminalError InvalidSecret, HostNotNamed, UnverifiedTls */
export function readServerCredentials(
  secret: SourceSecret | undefined,
  recipient: Recipient,
): BasicCredentials | undefined {
  if (secret !== undefined && isDockerConfig(secret)) return readDockerConfig(secret, recipient);
  assertMayReceive(secret, recipient);
  return readBasicCredentials(secret);
}
