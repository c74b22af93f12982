import { isJsonObject, type JsonValue, listAt, parseJson, TerminalError } from '../base/index.ts';
import { isNotFound, type KubeClient, type KubeObject, type ListTarget } from '../kube/index.ts';

/** Where the API server publishes it. */
const reference = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'kube-system',
  name: 'extension-apiserver-authentication',
};

/** Which certificates and headers of a request name its user. Header names are in lower case. */
export interface RequestTrust {
  /** PEM; empty when clients cannot use certificates of their own. */
  readonly clientCaPem: string;
  /** PEM of the authority of the API server's client certificate; empty when it forwards nothing. */
  readonly requestHeaderCaPem: string;
  /** Common names of that certificate; none allows any. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

function textsIn(data: Readonly<Record<string, JsonValue | undefined>>, key: string): string[] {
  const text = data[key];
  if (typeof text !== 'string' || text === '') return [];
  const what = `ConfigMap ${reference.namespace}/${reference.name}, ${key}`;
  const names = listAt({ names: parseJson(what, text) }, 'names');
  if (names.every((name) => typeof name === 'string')) return names;
  throw new TerminalError('InvalidRequestTrust', `${what}: expected a list of strings`);
}

function trustOf(object: KubeObject): RequestTrust {
  const data = isJsonObject(object['data']) ? object['data'] : {};
  const pem = (key: string): string => (typeof data[key] === 'string' ? data[key] : '');
  const headers = (key: string): string[] => textsIn(data, key).map((name) => name.toLowerCase());
  return {
    clientCaPem: pem('client-ca-file'),
    requestHeaderCaPem: pem('requestheader-client-ca-file'),
    allowedNames: textsIn(data, 'requestheader-allowed-names'),
    usernameHeaders: headers('requestheader-username-headers'),
    // Servers before 1.34 send it without publishing its name.
    uidHeaders: Object.hasOwn(data, 'requestheader-uid-headers')
      ? headers('requestheader-uid-headers')
      : ['x-remote-uid'],
    groupHeaders: headers('requestheader-group-headers'),
    extraHeaderPrefixes: headers('requestheader-extra-headers-prefix'),
  };
}

/** Reads what the API server publishes for extension API servers; the Role `extension-apiserver-authentication-reader` allows it.
 *  @throws TerminalError InvalidRequestTrust, RequestTrustNotFound */
export async function readRequestTrust(kube: KubeClient, signal?: AbortSignal): Promise<RequestTrust> {
  try {
    return trustOf(await kube.get(reference, { signal }));
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    const message = `ConfigMap ${reference.namespace}/${reference.name} does not exist: the API server does not support aggregation`;
    throw new TerminalError('RequestTrustNotFound', message, { cause: thrown });
  }
}

/** The ConfigMap with it, for a cache: authorities are replaced while programs run. */
export const requestTrustTarget: ListTarget = {
  apiVersion: reference.apiVersion,
  kind: reference.kind,
  namespace: reference.namespace,
  fieldSelector: `metadata.name=${reference.name}`,
};
