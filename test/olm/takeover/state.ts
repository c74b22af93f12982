import type { ClusterClient } from '../../../apiserver/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import { writtenKinds } from '../observer.ts';

const kinds: readonly (readonly [string, string])[] = [
  ...writtenKinds.filter(([, kind]) => kind !== 'Event'),
  ['apps/v1', 'ReplicaSet'],
  ['v1', 'Pod'],
];

/** Every namespace or cluster has it. */
function isCommon({ kind, metadata: { name = '', namespace, labels = {} } }: KubeObject): boolean {
  if (labels['kubernetes.io/bootstrapping'] !== undefined || name === 'kube-root-ca.crt') return true;
  const isOfSystem = /^(kube-|default$)/.test(namespace ?? name);
  return (kind === 'ServiceAccount' && name === 'default') || (isOfSystem && kind !== 'RoleBinding');
}

/** `Kind namespace/name` */
function keyOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${[namespace, name].filter((part) => part !== undefined).join('/')}`;
}

/** Everything on a cluster that OLM reads or writes, by key. */
export async function readState(client: ClusterClient): Promise<ReadonlyMap<string, KubeObject>> {
  const found = new Map<string, KubeObject>();
  for (const [apiVersion, kind] of kinds) {
    for (const object of (await client.list({ apiVersion, kind })) as unknown as KubeObject[]) {
      if (isCommon(object)) continue;
      const { managedFields: _fields, ...metadata } = object.metadata;
      found.set(keyOf(object), { ...object, metadata });
    }
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What differs between two states of an object. */
export interface Change {
  readonly object: string;
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

function changesIn(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: string,
): Omit<Change, 'object'>[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
    return keys.flatMap((key) => changesIn(before[key], after[key], `${path}.${key}`));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => changesIn(item, after[index], `${path}[${index}]`));
  }
  return [JSON.parse(JSON.stringify({ path, before, after })) as Omit<Change, 'object'>];
}

const counters = /^\.metadata\.resourceVersion$/;

/** Every change from one state of a cluster to another, but for the count of writes. */
export function changesBetween(
  before: ReadonlyMap<string, KubeObject>,
  after: ReadonlyMap<string, KubeObject>,
): readonly Change[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return keys.flatMap((object): Change[] => {
    const [one, two] = [before.get(object), after.get(object)];
    if (one === undefined) return [{ object, path: '', after: 'created' }];
    if (two === undefined) return [{ object, path: '', before: 'deleted' }];
    return changesIn(one as JsonObject, two as JsonObject, '')
      .filter(({ path }) => !counters.test(path))
      .map((change) => ({ object, ...change }));
  });
}
