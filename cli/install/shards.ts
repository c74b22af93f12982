import { defaultSystemNamespace } from '../../src/api/index.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOfTexts,
  objectAt,
  objectsAt,
} from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';
import { installOptions } from './options.ts';

/** The Role of the controllers names a Lease for each of so many. */
export const maxShards: number = installOptions.shards.range[1];

const coreName = 'core';
/** What there is once for each shard. */
const shardedKinds: readonly { readonly apiVersion: string; readonly kind: string }[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
];
/** After it stands which shard it is. */
const electArgument = '--leader-elect';
const ofShard = /^core-(\d{1,4})$/;

/** Which shard of how many; texts, because a template has something else there. */
export interface ShardPlace {
  readonly index: string;
  readonly count: string;
}

/** Whether every shard has an object like this one. */
export function isSharded({ kind, metadata }: KubeObject): boolean {
  return metadata.name === coreName && shardedKinds.some((one) => one.kind === kind);
}

/** Catalogs have no shards: the first one has them. */
function isOfCatalogs(item: JsonValue): boolean {
  return isJsonObject(item) && (item['name'] === 'catalogs' || item['port'] === 'catalogs');
}

/** The same for pods of another `app`, without catalogs. */
function forApp(value: JsonValue, app: string): JsonValue {
  if (Array.isArray(value)) return value.filter((item) => !isOfCatalogs(item)).map((item) => forApp(item, app));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => [
    key,
    key === 'app' && member === coreName ? app : forApp(member ?? null, app),
  ]);
  return Object.fromEntries(entries);
}

function withArgument(value: JsonValue, argument: string): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item) => withArgument(item, argument));
    const at = items.indexOf(electArgument);
    return at < 0 ? items : items.toSpliced(at + 1, 0, argument);
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withArgument(member ?? null, argument)]),
  );
}

function asShard(object: KubeObject, { index, count }: ShardPlace): KubeObject {
  return withArgument(object as unknown as JsonValue, `--shard=${index}/${count}`) as unknown as KubeObject;
}

/** An object of the controllers for the first of `count` shards. */
export function firstShard(object: KubeObject, count: string): KubeObject {
  return asShard(object, { index: '1', count });
}

/** The same for another shard. Its pods are another app's, so that no two Deployments select the same. */
export function otherShard(object: KubeObject, place: ShardPlace): KubeObject {
  const name = `${coreName}-${place.index}`;
  const copy = forApp(object as unknown as JsonValue, name) as unknown as KubeObject;
  return asShard({ ...copy, metadata: { ...copy.metadata, name } }, place);
}

/** The manifests with so many leaders, each for a part of everything; as they are for 1. */
export function withShards(objects: readonly KubeObject[], count: number): readonly KubeObject[] {
  if (count === 1) return objects;
  const indexes = Array.from({ length: count - 1 }, (_, at) => String(at + 2));
  return objects.flatMap((object) => {
    if (!isSharded(object)) return [object];
    return [
      firstShard(object, String(count)),
      ...indexes.map((index) => otherShard(object, { index, count: String(count) })),
    ];
  });
}

/** How many shards a Deployment of the controllers counts on; 1 where it has everything. */
export function shardCountOf(deployment: KubeObject): number {
  const pod = objectAt(deployment as unknown as JsonObject, 'spec', 'template', 'spec');
  const args = objectsAt(pod, 'containers').flatMap((container) => listOfTexts(container, 'args'));
  return Number(/(?:^| )--shard[= ]\d+\/(\d+)(?: |$)/.exec(args.join(' '))?.[1] ?? 1);
}

/** Objects of shards above the `count`-th, as `install` has made them. */
export async function shardsAbove(count: number, kube: KubeClient): Promise<readonly KubeObject[]> {
  const target = { namespace: defaultSystemNamespace, labelSelector: 'app.kubernetes.io/part-of=longshore' };
  const found: KubeObject[] = [];
  for (const kind of shardedKinds) {
    const { items } = await kube.list({ ...target, ...kind });
    found.push(...items.filter(({ metadata }) => Number(ofShard.exec(metadata.name ?? '')?.[1] ?? 0) > count));
  }
  return found;
}
