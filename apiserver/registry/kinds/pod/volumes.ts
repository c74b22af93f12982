import { type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { annotationErrors, labelErrors, textsAt } from '../../../core/index.ts';
import { compareQuantities } from '../../../schema/index.ts';
import { invalids, requiredChoice, requiredTexts } from '../checks.ts';
import { claimSpecErrors } from '../claim-spec.ts';
import { descendingPathErrors, noBackstepErrors } from './paths.ts';
import { type SourceRule, secondSource, storageRules } from './storage-volumes.ts';
import { downwardVolumeErrors, keyedVolumeErrors, projectedVolumeErrors } from './volume-files.ts';

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** Errors of a directory of the node. */
export function hostPathErrors(source: JsonObject, path: string): FieldError[] {
  const [directory, type] = [textAt(source, 'path'), textAt(source, 'type')];
  if (directory === '') return [requiredField(`${path}.path`)];
  const errors = noBackstepErrors(`${path}.path`, directory);
  if (hostPathTypes.includes(type)) return errors;
  return [...errors, unsupportedField(`${path}.type`, type, hostPathTypes)];
}

function emptyDirErrors(source: JsonObject, path: string): FieldError[] {
  const limit = textAt(source, 'sizeLimit');
  const text = 'SizeLimit field must be a valid resource quantity';
  return limit !== '' && compareQuantities(limit, '0') < 0 ? [forbiddenField(`${path}.sizeLimit`, text)] : [];
}

function gitRepoErrors(source: JsonObject, path: string): FieldError[] {
  const directory = descendingPathErrors(`${path}.directory`, textAt(source, 'directory'));
  return [...requiredTexts(source, path, ['repository']), ...directory];
}

const templateMeta = new Set(['annotations', 'labels', 'creationTimestamp']);

function ephemeralErrors(source: JsonObject, path: string): FieldError[] {
  const template = objectAt(source, 'volumeClaimTemplate');
  const field = `${path}.volumeClaimTemplate`;
  if (template === undefined) return [requiredField(field)];
  const metadata = objectAt(template, 'metadata');
  const extra = Object.keys(metadata ?? {}).filter((key) => !templateMeta.has(key));
  return [
    ...annotationErrors(textsAt(metadata, 'annotations'), `${field}.metadata.annotations`),
    ...labelErrors(textsAt(metadata, 'labels'), `${field}.metadata.labels`),
    ...extra.map((key) => forbiddenField(`${field}.metadata.${key}`, 'cannot be set')),
    ...claimSpecErrors(objectAt(template, 'spec') ?? {}, `${field}.spec`),
  ];
}

function imageErrors(source: JsonObject, path: string): FieldError[] {
  return requiredChoice(`${path}.pullPolicy`, textAt(source, 'pullPolicy'), ['Always', 'IfNotPresent', 'Never']);
}

/** In the order in which sources are looked at: the first is the volume's own, each further one is refused. */
const sourceRules: readonly (readonly [string, SourceRule])[] = Object.entries({
  emptyDir: emptyDirErrors,
  hostPath: hostPathErrors,
  gitRepo: gitRepoErrors,
  ...pick('gcePersistentDisk', 'awsElasticBlockStore'),
  secret: (source: JsonObject, path: string) => keyedVolumeErrors(source, path, 'secretName'),
  ...pick('nfs', 'iscsi', 'glusterfs', 'flocker'),
  persistentVolumeClaim: (source: JsonObject, path: string) => requiredTexts(source, path, ['claimName']),
  ...pick('rbd', 'cinder', 'cephfs', 'quobyte'),
  downwardAPI: downwardVolumeErrors,
  ...pick('fc', 'flexVolume'),
  configMap: (source: JsonObject, path: string) => keyedVolumeErrors(source, path, 'name'),
  ...pick('azureFile', 'vsphereVolume', 'photonPersistentDisk', 'portworxVolume', 'azureDisk', 'storageos'),
  projected: projectedVolumeErrors,
  ...pick('scaleIO', 'csi'),
  ephemeral: ephemeralErrors,
  image: imageErrors,
});

function pick(...names: readonly string[]): Record<string, SourceRule> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const rule = storageRules[name];
      return rule === undefined ? [] : [[name, rule]];
    }),
  );
}

/** Where a field of the source is called otherwise in messages. */
const ownWords: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };
const secondWords: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

const longestPortal = 64;

/** What is wrong with a source beside its own fields. */
function outerErrors(volume: JsonObject, path: string, name: string): FieldError[] {
  const iscsi = objectAt(volume, 'iscsi');
  if (name !== 'iscsi' || iscsi === undefined || typeof valueAt(iscsi, 'initiatorName') !== 'string') return [];
  const volumeName = textAt(volume, 'name');
  const text =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  const isLong = `${volumeName}:${textAt(iscsi, 'targetPortal')}`.length > longestPortal;
  return isLong ? [invalidField(`${path}.name`, volumeName, text)] : [];
}

function claimNameErrors(volume: JsonObject, path: string, podName: string): FieldError[] {
  const name = textAt(volume, 'name');
  if (podName === '' || name === '' || objectAt(volume, 'ephemeral') === undefined) return [];
  const claim = `${podName}-${name}`;
  const problems = dns1123SubdomainProblems(claim).map((problem) => `PVC name "${claim}": ${problem}`);
  return invalids(`${path}.name`, name, problems);
}

function sourceErrors(volume: JsonObject, path: string, podName: string): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const [name, rule] of sourceRules) {
    const source = objectAt(volume, name);
    if (source === undefined) continue;
    if (count > 0) errors.push(secondSource(`${path}.${secondWords[name] ?? name}`));
    else errors.push(...rule(source, `${path}.${ownWords[name] ?? name}`));
    if (count === 0 && name === 'ephemeral') errors.push(...claimNameErrors(volume, path, podName));
    errors.push(...outerErrors(volume, path, name));
    count += 1;
  }
  return count === 0 ? [requiredField(path, 'must specify a volume type')] : errors;
}

function nameErrors(name: string, path: string, known: ReadonlyMap<string, JsonObject>): FieldError[] {
  const field = `${path}.name`;
  const errors = name === '' ? [requiredField(field)] : invalids(field, name, dns1123LabelProblems(name));
  return known.has(name) ? [...errors, duplicateField(field, name)] : errors;
}

function ownClaimErrors(volume: JsonObject, path: string, claims: ReadonlySet<string>): FieldError[] {
  const claim = textAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName');
  const text = 'must not reference a PVC that gets created for an ephemeral volume';
  return claims.has(claim) ? [invalidField(`${path}.persistentVolumeClaim.claimName`, claim, text)] : [];
}

/** Errors of `volumes`, and the volumes that are well: only those may be mounted. `podName` is empty in templates. */
export function volumeErrors(
  spec: JsonObject,
  path: string,
  podName: string,
): { readonly errors: FieldError[]; readonly volumes: ReadonlyMap<string, JsonObject> } {
  const list = objectsAt(spec, 'volumes');
  const known = new Map<string, JsonObject>();
  const errors: FieldError[] = [];
  const ephemeral = list.filter((volume) => podName !== '' && objectAt(volume, 'ephemeral') !== undefined);
  const claims = new Set(ephemeral.map((volume) => `${podName}-${textAt(volume, 'name')}`));
  list.forEach((volume, index) => {
    const at = `${path}.volumes[${index}]`;
    const name = textAt(volume, 'name');
    const own = [...sourceErrors(volume, at, podName), ...nameErrors(name, at, known)];
    if (own.length === 0) known.set(name, volume);
    errors.push(...own, ...ownClaimErrors(volume, at, claims));
  });
  return { errors, volumes: known };
}
