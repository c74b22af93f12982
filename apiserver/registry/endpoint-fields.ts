import { FieldSet } from '../apply/index.ts';
import { copyJson, type KubeObject, type ObjectMeta, type ResourceType } from '../core/index.ts';

const objectMetaOfStatus = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

type KeptField = (typeof objectMetaOfStatus)[number];

/** Metadata that a write to `/status` leaves as it was; of the kinds not named here it may change. By storage key. */
const keptByStatus: ReadonlyMap<string, readonly KeptField[]> = new Map<string, readonly KeptField[]>([
  ['apiservices.apiregistration.k8s.io', objectMetaOfStatus],
  ['deployments.apps', ['labels']],
  ['flowschemas.flowcontrol.apiserver.k8s.io', objectMetaOfStatus],
  ['pods', ['ownerReferences']],
  ['prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', objectMetaOfStatus],
  ['resourceclaims.resource.k8s.io', objectMetaOfStatus],
  ['servicecidrs.networking.k8s.io', objectMetaOfStatus],
  ['validatingadmissionpolicies.admissionregistration.k8s.io', objectMetaOfStatus],
  ['volumeattachments.storage.k8s.io', objectMetaOfStatus],
]);

/** Puts back the metadata that a write to `/status` of this kind may not change. */
export function keepMetadataOfStatus(storageKey: string, { metadata }: KubeObject, old: KubeObject): void {
  for (const name of keptByStatus.get(storageKey) ?? []) keepField(metadata, old.metadata, name);
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
