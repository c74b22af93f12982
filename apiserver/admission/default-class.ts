import { isJsonObject } from '../../src/base/index.ts';
import type { AdmissionPlugin, AdmissionRequest, Cluster, KubeObject } from '../core/index.ts';

interface ClassRule {
  readonly name: string;
  /** Whose class is chosen. */
  readonly storageKey: string;
  readonly classGroup: string;
  readonly classPlural: string;
  readonly isDefaultAnnotation: string;
  readonly field: string;
  /** Annotation that also names a class, and so leaves nothing to choose. */
  readonly classAnnotation: string;
}

const rules: readonly ClassRule[] = [
  {
    name: 'DefaultStorageClass',
    storageKey: 'persistentvolumeclaims',
    classGroup: 'storage.k8s.io',
    classPlural: 'storageclasses',
    isDefaultAnnotation: 'storageclass.kubernetes.io/is-default-class',
    field: 'storageClassName',
    classAnnotation: 'volume.beta.kubernetes.io/storage-class',
  },
  {
    name: 'DefaultIngressClass',
    storageKey: 'ingresses.networking.k8s.io',
    classGroup: 'networking.k8s.io',
    classPlural: 'ingressclasses',
    isDefaultAnnotation: 'ingressclass.kubernetes.io/is-default-class',
    field: 'ingressClassName',
    classAnnotation: 'kubernetes.io/ingress.class',
  },
];

/** Newest first, then by name. */
function compareClasses(a: KubeObject, b: KubeObject): number {
  const times = (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? '');
  return times === 0 ? (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '') : times;
}

function defaultClass(cluster: Cluster, rule: ClassRule): string | undefined {
  const type = cluster.resource(rule.classGroup, rule.classPlural);
  if (type === undefined) return undefined;
  const defaults = cluster
    .list(type)
    .filter(({ metadata }) => metadata.annotations?.[rule.isDefaultAnnotation] === 'true');
  return defaults.toSorted(compareClasses)[0]?.metadata.name;
}

function withClass(request: AdmissionRequest, rule: ClassRule, cluster: Cluster): KubeObject | undefined {
  const { object, operation, resource, subresource } = request;
  if (operation !== 'CREATE' || resource.storageKey !== rule.storageKey || subresource !== undefined) return undefined;
  if (object === undefined || !isJsonObject(object.spec)) return undefined;
  const isChosen =
    object.spec[rule.field] !== undefined || object.metadata.annotations?.[rule.classAnnotation] !== undefined;
  const chosen = isChosen ? undefined : defaultClass(cluster, rule);
  return chosen === undefined ? undefined : { ...object, spec: { ...object.spec, [rule.field]: chosen } };
}

/** Claims and Ingresses that name no class get the one that is marked as the default. */
export function defaultClasses(cluster: Cluster): AdmissionPlugin[] {
  return rules.map((rule) => ({
    name: rule.name,
    mutate: (request) => Promise.resolve(withClass(request, rule, cluster)),
  }));
}

const protectionFinalizers: ReadonlyMap<string, string> = new Map([
  ['persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['persistentvolumes', 'kubernetes.io/pv-protection'],
]);

/** Volumes and claims carry a finalizer, so that they stay while they are used. */
export function storageObjectInUseProtection(): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    mutate: ({ object, operation, resource, subresource }) => {
      const finalizer = protectionFinalizers.get(resource.storageKey);
      if (operation !== 'CREATE' || subresource !== undefined || finalizer === undefined || object === undefined) {
        return Promise.resolve(undefined);
      }
      const finalizers = object.metadata.finalizers ?? [];
      if (finalizers.includes(finalizer)) return Promise.resolve(undefined);
      return Promise.resolve({ ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } });
    },
  };
}
