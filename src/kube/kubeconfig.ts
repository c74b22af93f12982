import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  listOfTexts,
  noProxies,
  objectAt,
  type ProxySettings,
  parseYaml,
  proxyFor,
  readProxySettings,
  redactUrl,
  TerminalError,
} from '../base/index.ts';
import type { ActingUser } from './acting-user.ts';

/** Whom to trust, and the certificate to show. */
export interface ClusterTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** How to reach one API server and as whom. */
export interface ClusterAccess {
  readonly server: string;
  /** By way of which HTTP proxy the server is reached; directly when absent. */
  readonly proxy?: string | undefined;
  /** For the next connection: files that were replaced are seen. */
  readonly tls: () => Promise<ClusterTls>;
  /** Headers that authenticate a request; read again for each, so that rotated tokens are used. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** As whom requests are sent that name no other, if not as the user of the credentials. */
  readonly actingAs?: ActingUser | undefined;
}

export type KubeconfigSource =
  | { readonly path: string }
  | { readonly text: string }
  /** The service account that Kubernetes mounts into a pod; `server` such as `https://10.0.0.1:443`. */
  | { readonly inCluster: { readonly server: string; readonly folder?: string } };

const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';
const fileLifetimeMs = 60_000;

function invalid(message: string): TerminalError {
  return new TerminalError('InvalidKubeconfig', `kubeconfig: ${message}`);
}

function entryOf(config: JsonObject, listName: string, name: string): JsonObject {
  const list = config[listName];
  const member = { clusters: 'cluster', users: 'user', contexts: 'context' }[listName] ?? listName;
  const found = Array.isArray(list) ? list.find((item) => isJsonObject(item) && item['name'] === name) : undefined;
  const entry = isJsonObject(found) ? found[member] : undefined;
  if (!isJsonObject(entry)) throw invalid(`no entry "${name}" in ${listName}`);
  return entry;
}

function textOf(entry: JsonObject, field: string): string | undefined {
  const value = entry[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

type Reader = () => Promise<Buffer>;

/** The content of a file, read at most once a minute: tokens and certificates are replaced on disk before they expire. When the file cannot
 *  be read again, or is empty just then, its last content counts. */
function rereadFile(path: string): Reader {
  let last: Buffer | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const ageMs = Date.now() - readAtMs;
    // It is negative where the clock was set back.
    if (last !== undefined && ageMs >= 0 && ageMs <= fileLifetimeMs) return last;
    try {
      const bytes = await readFile(path);
      if (bytes.length === 0) throw invalid(`${path} is empty`);
      last = bytes;
      readAtMs = Date.now();
    } catch (thrown) {
      if (last === undefined) throw thrown;
    }
    return last;
  };
}

async function tokenOf(read: Reader): Promise<string> {
  return (await read()).toString('utf8').trim();
}

/** Reads a field or the file that it names; undefined when it has neither. */
function readerOf(entry: JsonObject, field: string, folder: string): Reader | undefined {
  const data = textOf(entry, `${field}-data`);
  const bytes = data === undefined ? undefined : Buffer.from(data, 'base64');
  if (bytes !== undefined) return () => Promise.resolve(bytes);
  const file = textOf(entry, field);
  return file === undefined ? undefined : rereadFile(resolve(folder, file));
}

type Headers = () => Promise<Readonly<Record<string, string>>>;

/** Credential plug-ins are the one part taken from the Kubernetes client library; its whole costs 0.6 s and 85 MB to load. A path counts from the folder of the
 *  kubeconfig, as in kubectl: others may have put a program of that name into the current one. */
function headersFromPlugin(name: string, plugin: JsonObject, folder: string): Headers {
  const program = textOf(plugin, 'command') ?? '';
  const exec = { ...plugin, command: program.includes('/') ? resolve(folder, program) : program };
  return async () => {
    const { ExecAuth } = await import('@kubernetes/client-node/dist/exec_auth.js');
    const options: { headers?: Record<string, string | readonly string[]> } = {};
    await new ExecAuth().applyAuthentication({ name, exec } as never, options as never);
    return Object.fromEntries(Object.entries(options.headers ?? {}).map(([key, value]) => [key, String(value)]));
  };
}

function headersOf(name: string, user: JsonObject, folder: string): Headers {
  const exec = user['exec'];
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const token = textOf(user, 'token');
  if (token !== undefined) return () => Promise.resolve(bearer(token));
  const tokenFile = textOf(user, 'tokenFile');
  if (tokenFile !== undefined) {
    const read = rereadFile(resolve(folder, tokenFile));
    return async () => bearer(await tokenOf(read));
  }
  const username = textOf(user, 'username');
  if (username !== undefined) {
    const pair = Buffer.from(`${username}:${textOf(user, 'password') ?? ''}`).toString('base64');
    return () => Promise.resolve({ authorization: `Basic ${pair}` });
  }
  if (isJsonObject(exec)) return headersFromPlugin(name, exec, folder);
  if (user['auth-provider'] !== undefined) throw invalid(`user "${name}": auth-provider is not supported, use exec`);
  return () => Promise.resolve({});
}

/** Whom the user of a kubeconfig acts as. */
function actingUserOf(name: string, user: JsonObject): ActingUser | undefined {
  const [as, uid] = [textOf(user, 'as'), textOf(user, 'as-uid')];
  const [groups, extra] = [listOfTexts(user, 'as-groups'), objectAt(user, 'as-user-extra') ?? {}];
  if (as !== undefined) {
    const extras = Object.keys(extra).map((key): [string, string[]] => [key, listOfTexts(extra, key)]);
    return { user: as, groups, ...(uid === undefined ? {} : { uid }), extra: Object.fromEntries(extras) };
  }
  if (uid === undefined && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw invalid(`user "${name}": as-uid, as-groups and as-user-extra need "as", the user to impersonate`);
}

interface Entries {
  readonly cluster: JsonObject;
  readonly user: JsonObject;
  readonly folder: string;
}

function tlsOf({ cluster, user, folder }: Entries): ClusterAccess['tls'] {
  const readCa = readerOf(cluster, 'certificate-authority', folder);
  const readCert = readerOf(user, 'client-certificate', folder);
  const readKey = readerOf(user, 'client-key', folder);
  const servername = textOf(cluster, 'tls-server-name');
  const rest = {
    ...(servername === undefined ? {} : { servername }),
    ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
  };
  return async () => {
    const [ca, cert, key] = await Promise.all([readCa?.(), readCert?.(), readKey?.()]);
    return {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...rest,
    };
  };
}

/** `proxy-url` of the cluster comes before the environment, whatever `NO_PROXY` names; as in kubectl. */
function proxyOf(cluster: JsonObject, server: string, proxies: ProxySettings): string | undefined {
  const own = textOf(cluster, 'proxy-url');
  if (own === undefined) return proxyFor(new URL(server), proxies);
  if (!/^https?:\/\//i.test(own))
    throw invalid(`proxy-url ${redactUrl(own)}: expected http://HOST:PORT or https://HOST:PORT`);
  try {
    return readProxySettings({ HTTP_PROXY: own }).http;
  } catch (thrown) {
    throw invalid(`proxy-url: ${errorMessage(thrown)}`);
  }
}

async function readKubeconfig(text: string, folder: string, proxies: ProxySettings): Promise<ClusterAccess> {
  const config = parseYaml('kubeconfig', text);
  if (!isJsonObject(config)) throw invalid('expected a mapping');
  const context = entryOf(config, 'contexts', textOf(config, 'current-context') ?? '');
  const cluster = entryOf(config, 'clusters', textOf(context, 'cluster') ?? '');
  const userName = textOf(context, 'user') ?? '';
  const user = userName === '' ? {} : entryOf(config, 'users', userName);
  const server = textOf(cluster, 'server');
  if (server === undefined || !URL.canParse(server)) throw invalid('the cluster has no valid server');
  const proxy = proxyOf(cluster, server, proxies);
  const tls = tlsOf({ cluster, user, folder });
  await tls();
  // Without TLS others could read credentials: as in kubectl, none are sent.
  const isSecure = new URL(server).protocol === 'https:';
  const headers = isSecure ? headersOf(userName, user, folder) : () => Promise.resolve({});
  return { server: server.replace(/\/+$/, ''), proxy, tls, headers, actingAs: actingUserOf(userName, user) };
}

/** Reads how to reach the cluster of the current context. File names in a kubeconfig count from its folder. Within a cluster, its API server is reached
 *  directly: `proxies` are for what lies outside.
 *  @throws TerminalError InvalidKubeconfig */
export async function loadClusterAccess(
  source: KubeconfigSource,
  proxies: ProxySettings = noProxies,
): Promise<ClusterAccess> {
  if ('text' in source) return await readKubeconfig(source.text, '.', proxies);
  if ('path' in source) return await readKubeconfig(await readFile(source.path, 'utf8'), dirname(source.path), proxies);
  const folder = source.inCluster.folder ?? serviceAccountFolder;
  const readToken = rereadFile(`${folder}/token`);
  const readCa = rereadFile(`${folder}/ca.crt`);
  await readCa();
  return {
    server: source.inCluster.server,
    tls: async () => ({ ca: await readCa() }),
    headers: async () => ({ authorization: `Bearer ${await tokenOf(readToken)}` }),
  };
}
