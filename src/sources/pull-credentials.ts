import { isJsonObject, type JsonObject, type JsonValue, parseJson, TerminalError, trimEnd } from '../base/index.ts';
import type { BasicCredentials } from './basic-auth.ts';
import type { SourceSecret } from './source.ts';

/** The Secrets that may open an image's registries. */
export interface PullSecrets {
  readonly secrets: readonly SourceSecret[];
  /** The service account that lists them, when the Bundle names none. One of them that is missing or broken is passed over, as the kubelet does it. */
  readonly serviceAccount?: string;
  /** Listed by the service account, and not there. */
  readonly missing?: readonly string[];
}

/** An entry of a pull secret: a registry, perhaps a path in it, and its credentials. */
interface Entry {
  readonly secretName: string;
  readonly key: string;
  readonly host: string;
  readonly path: string;
  readonly value: JsonValue | undefined;
}

/** What all pull secrets of a Bundle hold, and what is wrong with those that were passed over. */
export interface Keyring {
  readonly entries: readonly Entry[];
  readonly notes: readonly string[];
  readonly origin: PullSecrets | undefined;
}

/** `note` describes, for error messages, which credentials were used or why there were none. */
export interface FoundCredentials {
  readonly credentials: BasicCredentials | undefined;
  readonly note: string;
  /** For another host that the pull secrets have an entry for, such as a token server of its own. */
  readonly ofHost?: (host: string) => BasicCredentials | undefined;
}

const dockerHubKeys: ReadonlySet<string> = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);
/** The key that holds the registries, by type of Secret. A Secret without a type is of the first. */
const dataKeys: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/dockerconfigjson', '.dockerconfigjson'],
  ['kubernetes.io/dockercfg', '.dockercfg'],
]);

/** Whether a Secret has a type for docker configurations. */
export function isDockerConfig({ type }: SourceSecret): boolean {
  return type !== undefined && dataKeys.has(type);
}

function refuse(what: string, problem: string): never {
  throw new TerminalError('InvalidSecret', `${what} ${problem}`);
}

function dataKeyOf({ name, type }: SourceSecret): string {
  if (type === undefined) return '.dockerconfigjson';
  const expected = [...dataKeys.keys()].join(' or ');
  return dataKeys.get(type) ?? refuse(`secret "${name}"`, `has type "${type}", expected ${expected}`);
}

function readRegistries(secret: SourceSecret): JsonObject {
  const key = dataKeyOf(secret);
  const value = Object.hasOwn(secret.data ?? {}, key) ? secret.data?.[key] : undefined;
  if (value === undefined) return refuse(`secret "${secret.name}"`, `has no key "${key}"`);
  const what = `secret "${secret.name}", key "${key}",`;
  const config = parseSecretJson(what, value);
  const registries = key === '.dockerconfigjson' && isJsonObject(config) ? config['auths'] : config;
  return isJsonObject(registries) ? registries : refuse(what, 'holds no object of registries');
}

/** The parser's own message would quote the secret. */
function parseSecretJson(what: string, base64: string): JsonValue {
  try {
    return parseJson(what, Buffer.from(base64, 'base64').toString());
  } catch {
    return refuse(what, 'is not valid JSON');
  }
}

function parseKey(key: string): { host: string; path: string } {
  const bare = key.replace(/^https?:\/\//, '');
  const slash = bare.indexOf('/');
  const host = slash < 0 ? bare : bare.slice(0, slash);
  const path = trimEnd(slash < 0 ? '' : bare.slice(slash), '/').replace(/^\/v[12]$/, '');
  return { host: dockerHubKeys.has(host) ? 'docker.io' : host, path };
}

/** Reads all secrets.
 *  @throws TerminalError InvalidSecret for a broken one that the Bundle names itself */
export function openKeyring(origin: PullSecrets | undefined): Keyring {
  const entries: Entry[] = [];
  const notes = (origin?.missing ?? []).map((name) => `secret "${name}" not found`);
  for (const secret of origin?.secrets ?? []) {
    try {
      const registries = Object.entries(readRegistries(secret));
      entries.push(...registries.map(([key, value]) => ({ secretName: secret.name, key, value, ...parseKey(key) })));
    } catch (thrown) {
      if (origin?.serviceAccount === undefined || !(thrown instanceof TerminalError)) throw thrown;
      notes.push(thrown.message);
    }
  }
  return { entries, notes, origin };
}

/** `*` stands for any characters of one part of a host name, as the kubelet reads it. Linear in time. */
function fitsPart(pattern: string, part: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === part;
  const last = rest.pop() ?? '';
  if (part.length < first.length + last.length || !part.startsWith(first) || !part.endsWith(last)) return false;
  let middle = part.slice(first.length, part.length - last.length);
  return rest.every((piece) => {
    const at = middle.indexOf(piece);
    middle = middle.slice(at + piece.length);
    return at >= 0;
  });
}

function fitsHost(pattern: string, host: string): boolean {
  if (pattern === host) return true;
  if (!pattern.includes('*')) return false;
  const [name = '', port] = pattern.split(':');
  const [requestedName = '', requestedPort] = host.split(':');
  const parts = name.split('.');
  const requestedParts = requestedName.split('.');
  return (
    port === requestedPort &&
    parts.length === requestedParts.length &&
    parts.every((part, index) => fitsPart(part, requestedParts[index] ?? ''))
  );
}

function decodeAuth(what: string, auth: string): BasicCredentials {
  const text = Buffer.from(auth, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return refuse(what, 'has an "auth" that is not the base64 form of user:password');
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Undefined for an empty entry, as a credential store leaves it. */
function decodeEntry(what: string, value: JsonValue | undefined): BasicCredentials | undefined {
  if (!isJsonObject(value)) return refuse(what, 'is no object');
  const { username, password, auth } = value;
  const isNamed = typeof username === 'string' && typeof password === 'string' && password !== '';
  const found = isNamed
    ? { username, password }
    : typeof auth === 'string' && auth !== ''
      ? decodeAuth(what, auth)
      : undefined;
  const hasToken = ['identitytoken', 'registrytoken'].find(
    (key) => typeof value[key] === 'string' && value[key] !== '',
  );
  if (hasToken !== undefined && (found === undefined || found.password === '')) {
    return refuse(
      what,
      `has only an ${hasToken}, which is not supported: give it "username" and "password", or "auth"`,
    );
  }
  return found;
}

function absence(keyring: Keyring, place: string): string {
  const { origin, notes } = keyring;
  const names = (origin?.secrets ?? []).map(({ name }) => `"${name}"`).join(', ');
  const list = origin?.serviceAccount === undefined ? '' : ` of service account "${origin.serviceAccount}"`;
  const notesText = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  if (names !== '') return `no entry for ${place} in pull secret ${names}${list}${notesText}`;
  return `there is no pull secret${list}${notesText}`;
}

/** The credentials for a repository: of all entries that it lies under, the one with the longest path; of equal ones an exact host before a
 *  pattern, then the first.
 *  @throws TerminalError InvalidSecret */
export function findCredentials(
  keyring: Keyring,
  place: { readonly registry: string; readonly repository: string },
): FoundCredentials {
  const fitting = keyring.entries
    .filter(({ host, path }) => fitsHost(host, place.registry) && `/${place.repository}/`.startsWith(`${path}/`))
    .sort((a, b) => b.path.length - a.path.length || Number(a.host.includes('*')) - Number(b.host.includes('*')));
  const notes: string[] = [...keyring.notes];
  const ofHost = (host: string): BasicCredentials | undefined =>
    findCredentials(keyring, { registry: host, repository: '' }).credentials;
  for (const { secretName, key, value } of fitting) {
    const what = `entry "${key}" of secret "${secretName}"`;
    try {
      const credentials = decodeEntry(what, value);
      if (credentials !== undefined) return { credentials, note: `those of ${what} were used`, ofHost };
      notes.push(`${what} is empty`);
    } catch (thrown) {
      if (keyring.origin?.serviceAccount === undefined || !(thrown instanceof TerminalError)) throw thrown;
      notes.push(thrown.message);
    }
  }
  return { credentials: undefined, note: absence({ ...keyring, notes }, `${place.registry}/${place.repository}`) };
}
