import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { CallOptions, KubeClient, KubeObject, ListTarget, Projection } from '../kube/index.ts';

/** What a drain reads of a Pod. */
export interface DrainablePod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly nodeName: string;
  readonly phase: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isMirror: boolean;
  readonly hasLocalStorage: boolean;
  /** Its controller, if any. */
  readonly controller?: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  /** When its deletion was requested. */
  readonly deletionMs?: number;
}

const mirrorAnnotation = 'kubernetes.io/config.mirror';

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function hasEmptyDir({ volumes }: JsonObject): boolean {
  return Array.isArray(volumes) && volumes.some((volume) => isJsonObject(volume) && volume['emptyDir'] !== undefined);
}

/** The Pod, or what `drainPodProjection` keeps of it. */
export function drainablePod({ metadata, spec, status }: KubeObject): DrainablePod {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  const { deletionTimestamp } = metadata;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    nodeName: textOf(objectOf(spec)['nodeName']),
    phase: textOf(objectOf(status)['phase']),
    labels: metadata.labels ?? {},
    isMirror: metadata.annotations?.[mirrorAnnotation] !== undefined,
    hasLocalStorage: hasEmptyDir(objectOf(spec)),
    ...(controller === undefined ? {} : { controller }),
    ...(deletionTimestamp === undefined ? {} : { deletionMs: Date.parse(deletionTimestamp) }),
  };
}

/** The part of Pods that drains read: a cache of all pods of a cluster stays small. */
export const drainPodProjection: Projection = {
  name: 'drain',
  of: ({ apiVersion, kind, metadata, spec, status }) => {
    const { nodeName } = objectOf(spec);
    const mirror = metadata.annotations?.[mirrorAnnotation];
    const { annotations: _annotations, managedFields: _managedFields, ...rest } = metadata;
    return {
      apiVersion,
      kind,
      metadata: mirror === undefined ? rest : { ...rest, annotations: { [mirrorAnnotation]: mirror } },
      spec: {
        ...(nodeName === undefined ? {} : { nodeName }),
        ...(hasEmptyDir(objectOf(spec)) ? { volumes: [{ emptyDir: {} }] } : {}),
      },
      status: { phase: textOf(objectOf(status)['phase']) },
    };
  },
};

/** All pods of the cluster, as drains read them. */
export const podTarget: ListTarget = { apiVersion: 'v1', kind: 'Pod', projection: drainPodProjection };

/** The pods of a node as the API server has them: a cache may not have shown yet what was bound before the node was cordoned. */
export async function livePodsOn(
  kube: KubeClient,
  nodeName: string,
  { signal }: CallOptions,
): Promise<readonly KubeObject[]> {
  const target = { apiVersion: 'v1', kind: 'Pod', fieldSelector: `spec.nodeName=${nodeName}` };
  return (await kube.list(target, { signal })).items;
}
