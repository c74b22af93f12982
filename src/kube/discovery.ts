import { isJsonObject, type JsonObject, type JsonValue, mapLimit } from '../base/index.ts';
import { isNotFound, NoKindMatch } from './kube-error.ts';

/** What the server serves a kind as. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

/** Kind → resource, one request a group and version, remembered. */
export interface Discovery {
  /** Asks the server again before it reports a kind as missing.
   *  @throws NoKindMatch */
  resolve(apiVersion: string, kind: string, signal?: AbortSignal): Promise<Resource>;
  /** The kind in the group's preferred version, or in the first other one that has it. One more request a call.
   *  @throws NoKindMatch */
  resolveInGroup(group: string, kind: string, signal?: AbortSignal): Promise<Resource>;
  /** Every kind whose objects are in namespaces and can be listed, each in one version. Repeats the whole discovery.
   *  @throws the server's error for a group that does not answer */
  namespacedKinds(signal?: AbortSignal): Promise<readonly Resource[]>;
  /** What the server serves: every group and version, and every kind in it: `apps/v1`, `apps/v1/Deployment`. A group that does not answer is
   *  without kinds. */
  apiVersions(signal?: AbortSignal): Promise<readonly string[]>;
  /** Forgets what is known of a group and version, because a CRD was created, changed or deleted. */
  forget(apiVersion: string): void;
}

type Read = (path: string, signal?: AbortSignal) => Promise<JsonValue>;
type Kinds = ReadonlyMap<string, Resource>;
const noKinds: Kinds = new Map();
const groupsAtATime = 8;

function kindsOf(apiVersion: string, body: JsonValue): Kinds {
  const list = isJsonObject(body) && Array.isArray(body['resources']) ? body['resources'] : [];
  const kinds = new Map<string, Resource>();
  for (const item of list) {
    if (!isJsonObject(item)) continue;
    const { name, kind, namespaced } = item;
    if (typeof name !== 'string' || typeof kind !== 'string' || name.includes('/')) continue;
    kinds.set(kind, { apiVersion, kind, plural: name, isNamespaced: namespaced === true });
  }
  return kinds;
}

function listedInNamespaces(apiVersion: string, body: JsonValue): readonly Resource[] {
  const items = isJsonObject(body) && Array.isArray(body['resources']) ? body['resources'].filter(isJsonObject) : [];
  const verbsOf = ({ verbs }: JsonObject): readonly JsonValue[] => (Array.isArray(verbs) ? verbs : []);
  const names = new Set(items.filter((item) => verbsOf(item).includes('list')).map(({ name }) => name));
  return [...kindsOf(apiVersion, body).values()].filter((kind) => kind.isNamespaced && names.has(kind.plural));
}

/** `group/version` of all versions, the preferred one first. */
function versionsOf(body: JsonValue): readonly string[] {
  if (!isJsonObject(body)) return [];
  const all = Array.isArray(body['versions']) ? body['versions'] : [];
  const named = [body['preferredVersion'], ...all].flatMap((item) => {
    const text = isJsonObject(item ?? null) ? (item as JsonObject)['groupVersion'] : undefined;
    return typeof text === 'string' ? [text] : [];
  });
  return [...new Set(named)];
}

async function versionsOfGroup(group: string, read: Read, signal?: AbortSignal): Promise<readonly string[]> {
  if (group === '') return ['v1'];
  try {
    return /^[a-z0-9.-]+$/.test(group) ? versionsOf(await read(`/apis/${group}`, signal)) : [];
  } catch (thrown) {
    if (isNotFound(thrown)) return [];
    throw thrown;
  }
}

/** The path under which the objects of a group and version are found. */
export function groupVersionPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

async function readVersions(read: Read, signal?: AbortSignal): Promise<readonly string[]> {
  const groups = await read('/apis', signal);
  const items = isJsonObject(groups) && Array.isArray(groups['groups']) ? groups['groups'] : [];
  return [['v1'], ...items.map(versionsOf)].flat();
}

async function readNamespacedKinds(read: Read, signal?: AbortSignal): Promise<readonly Resource[]> {
  const kinds = new Map<string, Resource>();
  for (const apiVersion of await readVersions(read, signal)) {
    const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
    for (const kind of listedInNamespaces(apiVersion, await read(groupVersionPath(apiVersion), signal))) {
      const key = `${kind.plural}.${group}`;
      if (!kinds.has(key)) kinds.set(key, kind);
    }
  }
  return [...kinds.values()];
}

async function listApis(
  versions: readonly string[],
  kindsIn: (apiVersion: string) => Promise<Kinds>,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const served = await mapLimit(versions, groupsAtATime, async (apiVersion) => {
    const kinds = await kindsIn(apiVersion).catch(() => noKinds);
    signal?.throwIfAborted();
    return [apiVersion, ...[...kinds.keys()].map((kind) => `${apiVersion}/${kind}`)];
  });
  return served.flat();
}

/** `read` fetches one discovery document. */
export function createDiscovery(read: Read): Discovery {
  const known = new Map<string, Promise<Kinds>>();
  const fetchKinds = async (apiVersion: string, signal?: AbortSignal): Promise<Kinds> => {
    try {
      return kindsOf(apiVersion, await read(groupVersionPath(apiVersion), signal));
    } catch (thrown) {
      if (isNotFound(thrown)) return noKinds;
      throw thrown;
    }
  };
  const load = async (apiVersion: string, signal?: AbortSignal): Promise<Kinds> => {
    const loading = fetchKinds(apiVersion, signal);
    known.set(apiVersion, loading);
    try {
      const kinds = await loading;
      if (kinds.size === 0 && known.get(apiVersion) === loading) known.delete(apiVersion);
      return kinds;
    } catch (thrown) {
      if (known.get(apiVersion) === loading) known.delete(apiVersion);
      throw thrown;
    }
  };
  const resolve = async (apiVersion: string, kind: string, signal?: AbortSignal): Promise<Resource> => {
    if (!/^([a-z0-9.-]+\/)?[a-z0-9]+$/.test(apiVersion)) throw new NoKindMatch(apiVersion, kind);
    const before = await known.get(apiVersion)?.catch(() => noKinds);
    const found = before?.get(kind) ?? (await load(apiVersion, signal)).get(kind);
    if (found === undefined) throw new NoKindMatch(apiVersion, kind);
    return found;
  };
  return {
    resolve,
    resolveInGroup: async (group, kind, signal) => {
      for (const apiVersion of await versionsOfGroup(group, read, signal)) {
        try {
          return await resolve(apiVersion, kind, signal);
        } catch (thrown) {
          if (!(thrown instanceof NoKindMatch)) throw thrown;
        }
      }
      throw new NoKindMatch(group, kind);
    },
    namespacedKinds: (signal) => readNamespacedKinds(read, signal),
    apiVersions: async (signal) => {
      const versions = await readVersions(read, signal);
      return await listApis(versions, (version) => known.get(version) ?? load(version, signal), signal);
    },
    forget: (apiVersion) => void known.delete(apiVersion),
  };
}
