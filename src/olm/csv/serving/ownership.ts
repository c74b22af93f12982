import { type ClusterServiceVersion, clusterServiceVersionResource, olmLabels } from '../../../api/index.ts';
import { groupOf, type KubeObject } from '../../../kube/index.ts';
import type { ServingContext } from './context.ts';
import { apiServiceName, ownedApiServices } from './descriptions.ts';
import { csvLabels } from './objects.ts';

/** Steps of a replacement chain that are followed. */
const maxChain = 100;
const { apiVersion: csvVersion, kind: csvKind } = clusterServiceVersionResource;

function textAtSpec(object: KubeObject, key: string): string {
  const spec = object['spec'] as Readonly<Record<string, unknown>> | undefined;
  const value = spec?.[key];
  return typeof value === 'string' ? value : '';
}

/** The ClusterServiceVersions of the namespace that `csv` replaces, directly or not. */
export function predecessors({ caches }: ServingContext, csv: ClusterServiceVersion): readonly KubeObject[] {
  const { name, namespace = '' } = csv.metadata;
  const found = new Map<string, KubeObject>();
  let next = csv.spec.replaces ?? '';
  while (next !== '' && next !== name && !found.has(next) && found.size < maxChain) {
    const version = caches.versions.get(next, namespace);
    if (version === undefined) break;
    found.set(next, version);
    next = textAtSpec(version, 'replaces');
  }
  return [...found.values()];
}

/** Whether an object of the namespace belongs to `csv` or to one that it replaces: by the uid of an owner. */
export function ownedBy(context: ServingContext, csv: ClusterServiceVersion): (live: KubeObject) => boolean {
  const uids = new Set([csv.metadata.uid, ...predecessors(context, csv).map(({ metadata }) => metadata.uid)]);
  return ({ metadata }) =>
    (metadata.ownerReferences ?? []).some(
      ({ apiVersion, kind, uid }) => kind === csvKind && groupOf(apiVersion) === groupOf(csvVersion) && uids.has(uid),
    );
}

/** The ClusterServiceVersion that the labels of an object name as its owner. */
export interface LabelledOwner {
  readonly namespace: string;
  readonly name: string;
}

/** Undefined unless all labels of an owner are there. */
export function labelledOwner({ metadata }: KubeObject): LabelledOwner | undefined {
  const { [olmLabels.owner]: name, [olmLabels.ownerNamespace]: namespace } = metadata.labels ?? {};
  const kind = metadata.labels?.[olmLabels.ownerKind];
  return kind !== csvKind || name === undefined || namespace === undefined ? undefined : { name, namespace };
}

/** Whether the labels of an object outside of the namespace name `csv` as its owner. Only who may write the cluster writes such objects. */
export function isLabelledFor(object: KubeObject, csv: ClusterServiceVersion): boolean {
  return Object.entries(csvLabels(csv)).every(([key, value]) => object.metadata.labels?.[key] === value);
}

/** Whether an APIService may be taken over: its labels name `csv`, one that it replaces, or one of the same namespace that gives way. In another
 *  namespace an operator never gives way to this one.
 *  @see docs/spec/olm-v0.md#replacement-chain-and-operatorcondition-gate */
export function isAdoptable(context: ServingContext, csv: ClusterServiceVersion, apiService: KubeObject): boolean {
  const owner = labelledOwner(apiService);
  const { name, namespace = '' } = csv.metadata;
  if (owner === undefined || owner.namespace !== namespace) return false;
  if (owner.name === name || owner.name === csv.spec.replaces) return true;
  const version = context.caches.versions.get(owner.name, namespace);
  const status = version?.['status'] as { readonly phase?: string } | undefined;
  return status?.phase === 'Replacing' || status?.phase === 'Deleting';
}

/** The owned APIService that exists and may not be adopted: row T8.
 *  @see docs/spec/olm-v0.md#replacement-chain-and-operatorcondition-gate */
export function foreignApiService(context: ServingContext, csv: ClusterServiceVersion): string | undefined {
  return ownedApiServices(csv)
    .map(apiServiceName)
    .find((name) => {
      const live = context.caches.apiServices.get(name);
      return live !== undefined && !isAdoptable(context, csv, live);
    });
}
