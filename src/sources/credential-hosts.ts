import { secretHostsAnnotation, secretUnverifiedAnnotation } from '../api/index.ts';
import { TerminalError } from '../base/index.ts';
import type { SourceSecret } from './source.ts';

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'ssh:': '22' };

interface Place {
  readonly isPlain: boolean;
  readonly host: string;
  readonly port: string;
}

function placeOf(url: URL): Place {
  const { protocol, hostname, port } = url;
  return { isPlain: protocol === 'http:', host: hostname.toLowerCase(), port: port || (defaultPorts[protocol] ?? '') };
}

/** `HOST`, `HOST:PORT` or `*.DOMAIN`, perhaps after `http://` for a server without TLS. Undefined for what is none. */
function parseEntry(text: string, protocol: string): Place | undefined {
  const match = /^(http:\/\/)?((?:\*\.)?[^\s/@*:]+|\[[0-9a-f:]+\])(?::(\d{1,5}))?$/i.exec(text);
  if (match === null) return undefined;
  const [, plain, host = '', port] = match;
  return { isPlain: plain !== undefined, host: host.toLowerCase(), port: port ?? defaultPorts[protocol] ?? '' };
}

function fits(entry: Place, requested: Place): boolean {
  if (entry.isPlain !== requested.isPlain || entry.port !== requested.port) return false;
  if (!entry.host.startsWith('*.')) return entry.host === requested.host;
  const domain = entry.host.slice(1);
  return requested.host.endsWith(domain) && requested.host.length > domain.length;
}

/** As the annotation has to name a server. */
function entryFor({ isPlain, host, port }: Place, protocol: string): string {
  return `${isPlain ? 'http://' : ''}${host}${port === defaultPorts[protocol] ? '' : `:${port}`}`;
}

/** The server of an address, as a Secret has to name it. */
export function shownHost(address: string): string {
  const url = new URL(address);
  return entryFor(placeOf(url), url.protocol);
}

/** Refuses to send the credentials of a Secret to a server that the Secret does not name: those who create Bundles choose the server, but may
 *  not read Secrets. With `allowsUnnamed`, a Secret that names no hosts at all is for every server.
 *  @throws TerminalError HostNotNamed, with the command that names it */
export function assertNamesHost(secret: SourceSecret | undefined, address: string, allowsUnnamed: boolean): void {
  if (secret === undefined) return;
  const { name, namespace = 'rukpak-system', hosts } = secret;
  if (hosts === undefined && allowsUnnamed) return;
  const url = new URL(address);
  const requested = placeOf(url);
  const entries = (hosts ?? '').split(',').map((text) => parseEntry(text.trim(), url.protocol));
  if (entries.some((entry) => entry !== undefined && fits(entry, requested))) return;
  const host = entryFor(requested, url.protocol);
  const what = `secret "${name}" is not for the host ${host}`;
  if (hosts !== undefined) {
    const text = `${what}: its annotation ${secretHostsAnnotation} lists other hosts; to allow this one, add ${host}: kubectl edit secret ${name} -n ${namespace}`;
    throw new TerminalError('HostNotNamed', text);
  }
  const command = `kubectl annotate secret ${name} -n ${namespace} ${secretHostsAnnotation}=${host}`;
  throw new TerminalError(
    'HostNotNamed',
    `${what}: it must name the hosts that may receive its credentials. To allow this one: ${command}`,
  );
}

/** A server that credentials are sent to. */
export interface Recipient {
  readonly address: string;
  /** Whether any certificate is accepted. */
  readonly insecureSkipVerify: boolean;
  /** Whether a Secret that names no hosts is for every server. */
  readonly allowsUnnamed: boolean;
}

/** Refuses a server whose certificate is not verified, which may be anyone between here and the named host, unless the Secret allows it: those who create
 *  Bundles choose that as well.
 *  @throws TerminalError UnverifiedTls, with the command that allows it */
export function assertVerified(secret: SourceSecret, { address, insecureSkipVerify }: Recipient): void {
  if (!insecureSkipVerify || !address.startsWith('https:') || secret.allowsUnverifiedTls === true) return;
  const { name, namespace = 'rukpak-system' } = secret;
  const { host } = new URL(address);
  throw new TerminalError(
    'UnverifiedTls',
    `secret "${name}" is not sent to ${host} without verifying the server's certificate: remove auth.insecureSkipVerify, and name the authority of the certificate with --registry-ca. To send them anyway, readable by others on the network: kubectl annotate secret ${name} -n ${namespace} ${secretUnverifiedAnnotation}=true`,
  );
}

/** As `assertNamesHost` and `assertVerified`; a Secret for every server is for those too whose certificates are not verified.
 *  @throws TerminalError HostNotNamed, UnverifiedTls */
export function assertMayReceive(secret: SourceSecret | undefined, recipient: Recipient): void {
  const { address, allowsUnnamed } = recipient;
  assertNamesHost(secret, address, allowsUnnamed);
  if (secret === undefined) return;
  const isForAll = secret.hosts === undefined && allowsUnnamed;
  if (!isForAll) assertVerified(secret, recipient);
}
