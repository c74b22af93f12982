import { FieldSet } from '../apply/index.ts';
import { copyJson, type KubeObject, type ObjectMeta, type ResourceType } from '../core/index.ts';

const objectMeta = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

type KeptField = (typeof objectMeta)[number];

/** Metadata that a write to a subresource leaves as it was; at those not named here it may change. By storage key and subresource. */
const kept: ReadonlyMap<string, readonly KeptField[]> = new Map<string, readonly KeptField[]>([
  ['apiservices.apiregistration.k8s.io/status', objectMeta],
  // In kube-apiserver these may change: the garbage collector would delete a definition, with all of its objects, for who may only write its status.
  ['customresourcedefinitions.apiextensions.k8s.io/status', ['ownerReferences']],
  ['deployments.apps/status', ['labels']],
  ['flowschemas.flowcontrol.apiserver.k8s.io/status', objectMeta],
  ['pods/ephemeralcontainers', objectMeta],
  ['pods/resize', objectMeta],
  ['pods/status', ['ownerReferences']],
  ['prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/status', objectMeta],
  ['resourceclaims.resource.k8s.io/status', objectMeta],
  ['servicecidrs.networking.k8s.io/status', objectMeta],
  ['validatingadmissionpolicies.admissionregistration.k8s.io/status', objectMeta],
  ['volumeattachments.storage.k8s.io/status', objectMeta],
]);

/** Puts back the metadata that a write to an endpoint, such as `pods/status`, may not change. */
export function keepMetadata(endpoint: string, { metadata }: KubeObject, old: KubeObject): void {
  for (const name of kept.get(endpoint) ?? []) keepField(metadata, old.metadata, name);
}

function keepField<K extends KeptField>(metadata: ObjectMeta, old: ObjectMeta, name: K): void {
  const value = old[name];
  if (value === undefined) delete metadata[name];
  else metadata[name] = copyJson(value);
}

type Path = readonly string[];

/** Fields that an endpoint neither takes nor owns, where they are not the usual ones: by storage key and subresource. */
const special: Readonly<Record<string, readonly Path[]>> = {
  'apiservices.apiregistration.k8s.io/status': [['spec'], ['metadata']],
  'certificatesigningrequests.certificates.k8s.io': [['spec'], ['status']],
  'certificatesigningrequests.certificates.k8s.io/approval': [['spec'], ['status', 'certificate']],
  'certificatesigningrequests.certificates.k8s.io/status': [['spec'], ['status', 'conditions']],
  'customresourcedefinitions.apiextensions.k8s.io/status': [['metadata'], ['spec']],
  'deployments.apps/status': [['spec'], ['metadata', 'labels']],
  'flowschemas.flowcontrol.apiserver.k8s.io/status': [['metadata'], ['spec']],
  'pods/status': [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/status': [['metadata'], ['spec']],
  'volumeattachments.storage.k8s.io/status': [['metadata'], ['spec']],
};

function pathsOf(type: ResourceType, subresource: string): readonly Path[] {
  const key = subresource === '' ? type.storageKey : `${type.storageKey}/${subresource}`;
  const known = Object.hasOwn(special, key) ? special[key] : undefined;
  if (known !== undefined) return known;
  if (subresource === 'status') return [['spec']];
  return type.subresources.some(({ name }) => name === 'status') ? [['status']] : [];
}

const cache = new WeakMap<ResourceType, Map<string, FieldSet>>();

/** Fields that an endpoint neither takes nor owns.
 *  @see docs/spec/kube-api-wire.md#reset-fields */
export function resetFields(type: ResourceType, subresource = ''): FieldSet {
  const known = cache.get(type) ?? new Map<string, FieldSet>();
  cache.set(type, known);
  const set = known.get(subresource) ?? FieldSet.of(...pathsOf(type, subresource).map(fieldsOf));
  known.set(subresource, set);
  return set;
}

function fieldsOf(path: Path): string[] {
  return path.map((name) => `f:${name}`);
}
