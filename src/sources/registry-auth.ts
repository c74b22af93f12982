import { isJsonObject, type JsonObject, parseJson, TerminalError } from '../base/index.ts';
import type { BasicCredentials } from './basic-auth.ts';
import type { SourceSecret } from './source.ts';

const dockerHubKeys: ReadonlySet<string> = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

function secretKey(secret: SourceSecret): string {
  return secret.type === 'kubernetes.io/dockercfg' ? '.dockercfg' : '.dockerconfigjson';
}

function readConfig(secret: SourceSecret): JsonObject {
  const key = secretKey(secret);
  const data = secret.data ?? {};
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined) throw new TerminalError('InvalidSecret', `secret "${secret.name}" has no key "${key}"`);
  const config = parseJson(`secret "${secret.name}", key "${key}"`, Buffer.from(value, 'base64').toString());
  const entries = key === '.dockercfg' ? config : isJsonObject(config) ? config['auths'] : undefined;
  if (!isJsonObject(entries)) {
    throw new TerminalError('InvalidSecret', `secret "${secret.name}", key "${key}": expected an object of registries`);
  }
  return entries;
}

function normalised(key: string): { host: string; path: string } {
  const bare = key.replace(/^https?:\/\//, '');
  const slash = bare.indexOf('/');
  const host = slash < 0 ? bare : bare.slice(0, slash);
  const path = (slash < 0 ? '' : bare.slice(slash)).replace(/\/+$/, '').replace(/^\/v[12]$/, '');
  return { host: dockerHubKeys.has(host) ? 'docker.io' : host, path };
}

function decode(entry: JsonObject): BasicCredentials | undefined {
  const { username, password, auth } = entry;
  if (typeof username === 'string' && typeof password === 'string') return { username, password };
  if (typeof auth !== 'string') return undefined;
  const text = Buffer.from(auth, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The credentials that a pull secret has for an image: of all keys that name its registry, the one with the longest path that its
 *  repository lies under. Undefined when none fits.
 *  @throws TerminalError InvalidSecret */
export function pullCredentials(
  secret: SourceSecret | undefined,
  image: { readonly registry: string; readonly repository: string },
): BasicCredentials | undefined {
  if (secret === undefined) return undefined;
  const fitting = Object.entries(readConfig(secret))
    .map(([key, entry]) => ({ ...normalised(key), entry }))
    .filter(({ host, path }) => host === image.registry && `/${image.repository}/`.startsWith(`${path}/`))
    .sort((a, b) => b.path.length - a.path.length);
  for (const { entry } of fitting) {
    const credentials = isJsonObject(entry) ? decode(entry) : undefined;
    if (credentials !== undefined) return credentials;
  }
  return undefined;
}

export interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads `WWW-Authenticate`; undefined when it names no scheme that we speak. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  const match = /^\s*(basic|bearer)\b(.*)$/is.exec(header ?? '');
  if (match === null) return undefined;
  const parameters = new Map<string, string>();
  for (const [, key = '', quoted, bare] of (match[2] ?? '').matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g)) {
    parameters.set(key.toLowerCase(), quoted ?? bare ?? '');
  }
  return { scheme: match[1]?.toLowerCase() === 'bearer' ? 'bearer' : 'basic', parameters };
}
