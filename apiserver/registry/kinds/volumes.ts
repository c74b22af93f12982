import {
  goQuote,
  isJsonEqual,
  type JsonObject,
  listOfTexts,
  objectAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  immutableText,
  invalidField,
  requiredField,
} from '../../../src/schema/index.ts';
import { asJson, goTime, type KindRules, type KubeObject, setDefaults, specOf, textsAt } from '../../core/index.ts';
import { compareQuantities, goQuantity, invalidPrinted } from '../../schema/index.ts';
import { choice, forbiddenWhen, immutableErrors, invalids } from './checks.ts';
import { claimSpecErrors, claimSpecWarnings } from './claim-spec.ts';
import { noBackstepErrors } from './pod/paths.ts';
import { nodeSelectorErrors } from './pod/scheduling.ts';
import { csiDriverNameErrors, type SourceRule, secondSource, storageRules } from './pod/storage-volumes.ts';
import { hostPathErrors } from './pod/volumes.ts';
import { defaultVolumeSource } from './pod-defaults.ts';

/** PersistentVolumes and the claims to them. @see docs/spec/kube-api-types.md#validation-rules, docs/spec/kube-api-types.md#immutable-fields */

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const mountAnnotation = 'volume.beta.kubernetes.io/mount-options';
const oldClassText = 'deprecated since v1.8; use "storageClassName" attribute instead';
const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const claimText =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';
const sourceText = 'spec.persistentvolumesource is immutable after creation\n';
const betaLabels = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

function copyReference(from: JsonObject): JsonObject {
  const { apiGroup, kind, name } = from;
  return { ...(apiGroup === undefined ? {} : { apiGroup }), kind: kind ?? '', name: name ?? '' };
}

function isKnownSource(source: JsonObject): boolean {
  const [group, kind] = [textAt(source, 'apiGroup'), textAt(source, 'kind')];
  if (group === '') return kind === 'PersistentVolumeClaim';
  return group === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot';
}

/** `dataSource` and `dataSourceRef` are equal; what neither a claim nor a snapshot is, the older one cannot name. */
function alignSources(spec: JsonObject, before: JsonObject | undefined): void {
  if (textAt(objectAt(spec, 'dataSourceRef'), 'namespace') !== '') delete spec['dataSourceRef'];
  const [source, reference] = [objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef')];
  const isUsed = objectAt(before, 'dataSource') !== undefined || objectAt(before, 'dataSourceRef') !== undefined;
  if (reference !== undefined) {
    if (source === undefined) spec['dataSource'] = copyReference(reference);
  } else if (source !== undefined) {
    if (isUsed || isKnownSource(source)) spec['dataSourceRef'] = copyReference(source);
    else delete spec['dataSource'];
  }
}

function prepareClaim(object: KubeObject, old: KubeObject | undefined): void {
  const spec = specOf(object);
  delete spec['volumeAttributesClassName'];
  alignSources(spec, old === undefined ? undefined : specOf(old));
}

function claimErrors(object: KubeObject): FieldError[] {
  return claimSpecErrors(specOf(object), 'spec');
}

/** A class that was named by annotation, or not at all, may be named now. */
function keepsClass(object: KubeObject, old: KubeObject): boolean {
  const [now, before] = [valueAt(specOf(object), 'storageClassName'), valueAt(specOf(old), 'storageClassName')];
  if (now === undefined || before !== undefined) return false;
  const annotated = valueAt(old.metadata.annotations, classAnnotation);
  return annotated === undefined || annotated === now;
}

/** The part of a claim that stays as it is. */
function fixedClaim(object: KubeObject, old: KubeObject): { readonly now: JsonObject; readonly before: JsonObject } {
  const { resources: requested, ...now } = specOf(object);
  const { resources: had, ...before } = specOf(old);
  if (textAt(before, 'volumeName') === '') delete now['volumeName'];
  if (keepsClass(object, old)) delete now['storageClassName'];
  const isBound = textAt(objectAt(asJson(object), 'status'), 'phase') === 'Bound';
  if (isBound) return { now, before };
  return { now: { ...now, resources: requested ?? {} }, before: { ...before, resources: had ?? {} } };
}

function sizeOf(object: KubeObject, ...path: string[]): string {
  return textsAt(asJson(object), ...path)['storage'] ?? '0';
}

function claimChangeErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const { now, before } = fixedClaim(object, old);
  const size = sizeOf(object, 'spec', 'resources', 'requests');
  const isSmaller = compareQuantities(size, sizeOf(old, 'spec', 'resources', 'requests')) < 0;
  const isTooSmall = isSmaller && compareQuantities(size, sizeOf(old, 'status', 'capacity')) <= 0;
  const field = 'spec.resources.requests.storage';
  const [mode, was] = [valueAt(specOf(object), 'volumeMode'), valueAt(specOf(old), 'volumeMode')];
  const [named, known] = [object, old].map((claim) => valueAt(claim.metadata.annotations, classAnnotation));
  const annotationField = `metadata.annotations[${classAnnotation}]`;
  return [
    ...(named === known || keepsClass(object, old) ? [] : [invalidField(annotationField, named ?? '', immutableText)]),
    ...forbiddenWhen(!isJsonEqual(now, before), 'spec', claimText),
    ...forbiddenWhen(isTooSmall, field, 'field can not be less than status.capacity'),
    ...immutableErrors('volumeMode', mode, mode === was),
  ];
}

function claimStatusErrors(object: KubeObject): FieldError[] {
  const capacity = textsAt(asJson(object), 'status', 'capacity');
  return Object.entries(capacity)
    .filter(([, amount]) => compareQuantities(amount, '0') < 0)
    .map(([name, amount]) =>
      invalidField(`status.capacity[${name}]`, Number(amount), 'must be a valid resource quantity'),
    );
}

/** Rules of PersistentVolumeClaims. */
export const claimRules: KindRules = {
  applyDefaults: (object) => setDefaults(specOf(object), { volumeMode: 'Filesystem' }),
  prepareForCreate: (object) => {
    prepareClaim(object, undefined);
    asJson(object)['status'] = { phase: 'Pending' };
  },
  prepareForUpdate: prepareClaim,
  validate: claimErrors,
  validateChange: (object, old) => [...claimErrors(object), ...claimErrors(object), ...claimChangeErrors(object, old)],
  validateStatus: claimStatusErrors,
  warnings: (object) => {
    const isOld = valueAt(object.metadata.annotations, classAnnotation) !== undefined;
    const old = isOld ? [`metadata.annotations[${classAnnotation}]: ${oldClassText}`] : [];
    return [...old, ...claimSpecWarnings(specOf(object), 'spec')];
  },
};

/** Where a volume may be, in the order in which sources are looked at; each source beside another one is refused. */
const volumeSources: readonly (readonly [string, SourceRule])[] = [
  ['hostPath', hostPathErrors],
  ...['gcePersistentDisk', 'awsElasticBlockStore', 'glusterfs', 'flocker', 'nfs', 'rbd', 'quobyte'].map(rowOf),
  ...['cephfs', 'iscsi', 'cinder', 'fc', 'flexVolume', 'azureFile', 'vsphereVolume'].map(rowOf),
  ...['photonPersistentDisk', 'portworxVolume', 'azureDisk', 'scaleIO'].map(rowOf),
  ['local', localErrors],
  rowOf('storageos'),
  ['csi', csiErrors],
];
const sourceNames = volumeSources.map(([name]) => name);

function rowOf(name: string): readonly [string, SourceRule] {
  return [name, (source, path) => (storageRules[name]?.(source, path) ?? []).map(shortened)];
}

/** The server reports less about a malformed initiator here than in a pod. */
function shortened(error: FieldError): FieldError {
  return { ...error, message: error.message.replace(/ starting with iqn, eui, or naa$/, '') };
}

function localErrors(source: JsonObject, path: string): FieldError[] {
  const directory = textAt(source, 'path');
  return directory === '' ? [requiredField(`${path}.path`)] : noBackstepErrors(`${path}.path`, directory);
}

const csiSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

function secretErrors(secret: JsonObject, path: string): FieldError[] {
  const [name, namespace] = [textAt(secret, 'name'), textAt(secret, 'namespace')];
  return [
    ...(name === '' ? [requiredField(`${path}.name`)] : invalids(`${path}.name`, name, dns1123SubdomainProblems(name))),
    ...(namespace === ''
      ? [requiredField(`${path}.namespace`)]
      : invalids(`${path}.namespace`, namespace, dns1123LabelProblems(namespace))),
  ];
}

function csiErrors(source: JsonObject, path: string): FieldError[] {
  return [
    ...csiDriverNameErrors(`${path}.driver`, textAt(source, 'driver')),
    ...(textAt(source, 'volumeHandle') === '' ? [requiredField(`${path}.volumeHandle`)] : []),
    ...csiSecrets.flatMap((key) => {
      const secret = objectAt(source, key);
      return secret === undefined ? [] : secretErrors(secret, `${path}.${key}`);
    }),
  ];
}

function modeErrors(spec: JsonObject): FieldError[] {
  const modes = listOfTexts(spec, 'accessModes');
  const errors = modes.length === 0 ? [requiredField('spec.accessModes')] : [];
  errors.push(...modes.flatMap((mode) => choice('spec.accessModes', mode, accessModes)));
  const known = modes.filter((mode) => accessModes.includes(mode));
  const isMixed = known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod');
  return [
    ...errors,
    ...forbiddenWhen(isMixed, 'spec.accessModes', 'may not use ReadWriteOncePod with other access modes'),
  ];
}

function capacityErrors(spec: JsonObject): FieldError[] {
  const capacity = textsAt(spec, 'capacity');
  const names = Object.keys(capacity).toSorted();
  const errors = names.length === 0 ? [requiredField('spec.capacity')] : [];
  if (names.length !== 1 || names[0] !== 'storage') {
    const shown = names.map((name) => `${goQuote(name)}:${goQuantity(capacity[name] ?? '0')}`).join(', ');
    const value = names.length === 0 ? 'core.ResourceList(nil)' : `core.ResourceList{${shown}}`;
    const message = `Unsupported value: ${value}: supported values: "storage"`;
    errors.push({ field: 'spec.capacity', reason: 'FieldValueNotSupported', message });
  }
  const empty = names.filter((name) => compareQuantities(capacity[name] ?? '0', '0') <= 0);
  return [
    ...errors,
    ...empty.map((name) => invalidField(`spec.capacity[${name}]`, capacity[name] ?? '', 'must be greater than zero')),
  ];
}

function affinityErrors(spec: JsonObject): FieldError[] {
  const affinity = objectAt(spec, 'nodeAffinity');
  if (affinity === undefined) return [];
  const required = objectAt(affinity, 'required');
  const field = 'spec.nodeAffinity.required';
  return required === undefined
    ? [requiredField(field, 'must specify required node constraints')]
    : nodeSelectorErrors(required, field);
}

function sourceErrors(spec: JsonObject): FieldError[] {
  const given = volumeSources.filter(([name]) => objectAt(spec, name) !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return [requiredField('spec', 'must specify a volume type')];
  const [name, rule] = first;
  const field = `spec.${name === 'gcePersistentDisk' ? 'persistentDisk' : name}`;
  const isAdrift = name === 'local' && objectAt(spec, 'nodeAffinity') === undefined;
  return [
    ...rule(objectAt(spec, name) ?? {}, field),
    ...(isAdrift ? [requiredField('spec.nodeAffinity', 'Local volume requires node affinity')] : []),
    ...others.map(([other]) => secondSource(`spec.${other === 'cephfs' ? 'cephFS' : other}`)),
  ];
}

function recycleErrors(spec: JsonObject): FieldError[] {
  const path = textAt(objectAt(spec, 'hostPath'), 'path');
  const isRoot = path !== '' && path.split('/').every((part) => part === '' || part === '.');
  const isRecycled = isRoot && textAt(spec, 'persistentVolumeReclaimPolicy') === 'Recycle';
  const why = "may not be 'recycle' for a hostPath mount of '/'";
  return forbiddenWhen(isRecycled, 'spec.persistentVolumeReclaimPolicy', why);
}

const unmountableSources = [
  'hostPath',
  'flocker',
  'fc',
  'flexVolume',
  'portworxVolume',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

function mountErrors(object: KubeObject): FieldError[] {
  const isGiven = valueAt(object.metadata.annotations, mountAnnotation) !== undefined;
  const mountable = sourceNames.filter((name) => !unmountableSources.includes(name));
  const isFine = mountable.some((name) => objectAt(specOf(object), name) !== undefined);
  const why = 'may not specify mount options for this volume type';
  return forbiddenWhen(isGiven && !isFine, `metadata.annotations.${mountAnnotation}`, why);
}

function volumeErrors(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  const className = textAt(spec, 'storageClassName');
  const policies = ['Delete', 'Recycle', 'Retain'];
  return [
    ...modeErrors(spec),
    ...capacityErrors(spec),
    ...choice('spec.persistentVolumeReclaimPolicy', textAt(spec, 'persistentVolumeReclaimPolicy'), policies),
    ...affinityErrors(spec),
    ...sourceErrors(spec),
    ...recycleErrors(spec),
    ...(className === '' ? [] : invalids('spec.storageClassName', className, dns1123SubdomainProblems(className))),
    ...choice('spec.volumeMode', valueAt(spec, 'volumeMode'), ['Block', 'Filesystem']),
  ];
}

function sourcesOf(object: KubeObject, dropsSecret: boolean): JsonObject {
  const spec = specOf(object);
  const sources = sourceNames.flatMap((name) => {
    const source = objectAt(spec, name);
    return source === undefined ? [] : [[name, source] as const];
  });
  const found: JsonObject = structuredClone(Object.fromEntries(sources));
  const csi = objectAt(found, 'csi');
  if (dropsSecret && csi !== undefined) delete csi['controllerExpandSecretRef'];
  return found;
}

/** Old names of labels count as the new ones. */
function affinityOf(object: KubeObject): string {
  const text = JSON.stringify(valueAt(specOf(object), 'nodeAffinity') ?? null);
  return [...betaLabels].reduce((result, [old, now]) => result.replaceAll(`"${old}"`, `"${now}"`), text);
}

function volumeChangeErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const isNewSecret = valueAt(objectAt(specOf(old), 'csi'), 'controllerExpandSecretRef') === undefined;
  const isSame = isJsonEqual(sourcesOf(object, isNewSecret), sourcesOf(old, false));
  const [mode, was] = [valueAt(specOf(object), 'volumeMode'), valueAt(specOf(old), 'volumeMode')];
  const hadAffinity = objectAt(specOf(old), 'nodeAffinity') !== undefined;
  const why = `${immutableText}, except for updating from beta label to GA`;
  const isMoved = hadAffinity && affinityOf(object) !== affinityOf(old);
  return [
    ...forbiddenWhen(!isSame, 'spec.persistentvolumesource', sourceText),
    ...immutableErrors('volumeMode', mode, mode === was),
    ...(isMoved ? [invalidPrinted('nodeAffinity', 'core.VolumeNodeAffinity{…}', why)] : []),
  ];
}

const lostSources = new Map([
  ['cephfs', 'v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'v1.11, non-functional in v1.16+'],
  ['scaleIO', 'v1.16, non-functional in v1.22+'],
  ['storageos', 'v1.22, non-functional in v1.25+'],
  ['glusterfs', 'v1.25, non-functional in v1.26+'],
  ['rbd', 'v1.28, non-functional in v1.31+'],
]);

function volumeWarnings(object: KubeObject): string[] {
  const spec = specOf(object);
  const { annotations } = object.metadata;
  const warnings: string[] = [];
  const has = (key: string): boolean => valueAt(annotations, key) !== undefined;
  if (has(classAnnotation)) warnings.push(`metadata.annotations[${classAnnotation}]: ${oldClassText}`);
  if (has(mountAnnotation)) {
    const why = 'deprecated since v1.31; use "mountOptions" attribute instead';
    warnings.push(`metadata.annotations[${mountAnnotation}]: ${why}`);
  }
  if (textAt(spec, 'persistentVolumeReclaimPolicy') === 'Recycle') {
    const why =
      'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
    warnings.push(`spec.persistentVolumeReclaimPolicy: ${why}`);
  }
  for (const [name, since] of lostSources) {
    if (objectAt(spec, name) === undefined) continue;
    warnings.push(`spec.${name === 'storageos' ? 'storageOS' : name}: deprecated in ${since}`);
  }
  return warnings;
}

/** Rules of PersistentVolumes. */
export const volumeRules: KindRules = {
  applyDefaults: (object) => {
    const spec = specOf(object);
    setDefaults(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
    defaultVolumeSource(spec);
  },
  prepareForCreate: (object, view) => {
    delete specOf(object)['volumeAttributesClassName'];
    asJson(object)['status'] = { phase: 'Pending', lastPhaseTransitionTime: goTime(view.nowMs()) };
  },
  prepareForStatusUpdate: (object, old, view) => {
    const [now, before] = [object, old].map((volume) => objectAt(asJson(volume), 'status'));
    const isMoved = now !== undefined && textAt(now, 'phase') !== textAt(before, 'phase');
    const time = valueAt(now, 'lastPhaseTransitionTime');
    if (isMoved && (time === undefined || time === valueAt(before, 'lastPhaseTransitionTime'))) {
      now['lastPhaseTransitionTime'] = goTime(view.nowMs());
    }
  },
  validate: (object) => [...volumeErrors(object), ...mountErrors(object)],
  validateChange: (object, old) => [
    ...volumeErrors(object),
    ...mountErrors(object),
    ...volumeErrors(object),
    ...volumeChangeErrors(object, old),
  ],
  warnings: volumeWarnings,
};
