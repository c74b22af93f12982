import { isTrueAt, type JsonObject, listAt, objectAt, textAt, valueAt } from '../../../../src/base/index.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  goTextList,
  invalidField,
  requiredField,
  tooLongField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { numberAt } from '../../../core/index.ts';
import { choice, invalids, rangeProblems, rangeText, requiredTexts } from '../checks.ts';

/** Errors of a volume source at `path`. */
export type SourceRule = (source: JsonObject, path: string) => FieldError[];

/** Sources of which no more is known than which texts must be there. */
function needs(...keys: readonly string[]): SourceRule {
  return (source, path) => requiredTexts(source, path, keys);
}

function needsList(key: string, ...texts: readonly string[]): SourceRule {
  return (source, path) => [
    ...(listAt(source, key).length === 0 ? [requiredField(`${path}.${key}`)] : []),
    ...requiredTexts(source, path, texts),
  ];
}

/** Zero, for the whole disk, is fine all the same. */
const partitionText = rangeText(1, 255);

function diskErrors(key: string): SourceRule {
  return (source, path) => {
    const partition = numberAt(source, 'partition') ?? 0;
    const isPartition = partition >= 0 && partition <= 255;
    const wrong = invalidField(`${path}.partition`, partition, partitionText);
    return [...requiredTexts(source, path, [key]), ...(isPartition ? [] : [wrong])];
  };
}

/** Credentials, where they are given, have a name. */
function secretNameErrors(source: JsonObject, path: string): FieldError[] {
  const secret = objectAt(source, 'secretRef');
  return secret === undefined ? [] : requiredTexts(secret, `${path}.secretRef`, ['name']);
}

function nfsErrors(source: JsonObject, path: string): FieldError[] {
  const directory = textAt(source, 'path');
  const isAbsolute = directory.startsWith('/');
  const wrong = invalidField(`${path}.path`, directory, 'must be an absolute path');
  return [...requiredTexts(source, path, ['server', 'path']), ...(isAbsolute ? [] : [wrong])];
}

const initiatorForms: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};
const longestInitiator = 1024;

function initiatorErrors(field: string, name: string): FieldError[] {
  const form = initiatorForms[name.slice(0, 3)];
  if (form === undefined) return [invalidField(field, name, 'must be valid format starting with iqn, eui, or naa')];
  const isWell = name.length <= longestInitiator && form.test(name);
  return isWell ? [] : [invalidField(field, name, 'must be valid format')];
}

function iscsiErrors(source: JsonObject, path: string): FieldError[] {
  const [name, initiator] = [textAt(source, 'iqn'), valueAt(source, 'initiatorName')];
  const needsSecret = isTrueAt(source, 'chapAuthDiscovery') || isTrueAt(source, 'chapAuthSession');
  const hasSecret = objectAt(source, 'secretRef') !== undefined;
  const lun = numberAt(source, 'lun') ?? 0;
  return [
    ...requiredTexts(source, path, ['targetPortal', 'iqn']),
    ...(name === '' ? [] : initiatorErrors(`${path}.iqn`, name)),
    ...invalids(`${path}.lun`, lun, rangeProblems(lun, 0, 255)),
    ...(needsSecret && !hasSecret ? [requiredField(`${path}.secretRef`)] : []),
    ...(typeof initiator === 'string' ? initiatorErrors(`${path}.initiatorname`, initiator) : []),
  ];
}

function fibreChannelErrors(source: JsonObject, path: string): FieldError[] {
  const [targets, ids] = [listAt(source, 'targetWWNs'), listAt(source, 'wwids')];
  const field = `${path}.targetWWNs`;
  if (targets.length === 0) {
    return ids.length > 0 ? [] : [requiredField(field, 'must specify either targetWWNs or wwids, but not both')];
  }
  const lun = numberAt(source, 'lun');
  const lunErrors =
    lun === undefined
      ? [requiredField(`${path}.lun`, 'lun is required if targetWWNs is specified')]
      : invalids(`${path}.lun`, lun, rangeProblems(lun, 0, 255));
  const both = invalidField(field, goTextList(targets), 'targetWWNs and wwids can not be specified simultaneously');
  return ids.length === 0 ? lunErrors : [both, ...lunErrors];
}

const pairText = 'must be a host:port pair or multiple pairs separated by commas';

function quobyteErrors(source: JsonObject, path: string): FieldError[] {
  const registry = textAt(source, 'registry');
  const errors: FieldError[] = [];
  if (registry === '') errors.push(requiredField(`${path}.registry`, pairText));
  else if (textAt(source, 'tenant').length >= 65) {
    errors.push(requiredField(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
  } else {
    const wrong = registry.split(',').filter((pair) => !/^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(pair));
    errors.push(...wrong.map(() => invalidField(`${path}.registry`, registry, pairText)));
  }
  return [...errors, ...requiredTexts(source, path, ['volume'])];
}

function flockerErrors(source: JsonObject, path: string): FieldError[] {
  const [name, id] = [textAt(source, 'datasetName'), textAt(source, 'datasetUUID')];
  const errors: FieldError[] = [];
  if (name === '' && id === '') errors.push(requiredField(path, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && id !== '') {
    errors.push(invalidField(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (name.includes('/')) errors.push(invalidField(`${path}.datasetName`, name, "must not contain '/'"));
  return errors;
}

function flexErrors(source: JsonObject, path: string): FieldError[] {
  const isReserved = (key: string): boolean => /\.(kubernetes|k8s)\.io$/i.test(`.${key.split('/', 1)[0] ?? ''}`);
  const reserved = Object.keys(objectAt(source, 'options') ?? {}).filter(isReserved);
  const text = 'kubernetes.io and k8s.io namespaces are reserved';
  return [
    ...requiredTexts(source, path, ['driver']),
    ...reserved.map((key) => invalidField(`${path}.options[${key}]`, key, text)),
  ];
}

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

function azureDiskErrors(source: JsonObject, path: string): FieldError[] {
  const [kind, uri] = [valueAt(source, 'kind'), textAt(source, 'diskURI')];
  const isManaged = kind === 'Managed';
  const isUri = uri.startsWith(isManaged ? '/subscriptions/' : 'https://');
  const wrongUri = unsupportedField(`${path}.diskURI`, uri, [isManaged ? managedDisk : blobDisk]);
  return [
    ...requiredTexts(source, path, ['diskName', 'diskURI']),
    ...choice(`${path}.cachingMode`, valueAt(source, 'cachingMode'), ['None', 'ReadOnly', 'ReadWrite']),
    ...choice(`${path}.kind`, kind, ['Dedicated', 'Managed', 'Shared']),
    ...(isUri ? [] : [wrongUri]),
  ];
}

function storageOsErrors(source: JsonObject, path: string): FieldError[] {
  const [name, namespace] = [textAt(source, 'volumeName'), textAt(source, 'volumeNamespace')];
  return [
    ...(name === ''
      ? [requiredField(`${path}.volumeName`)]
      : invalids(`${path}.volumeName`, name, dns1123LabelProblems(name))),
    ...(namespace === '' ? [] : invalids(`${path}.volumeNamespace`, namespace, dns1123LabelProblems(namespace))),
    ...secretNameErrors(source, path),
  ];
}

/** Errors of the name of a CSI driver: a subdomain in any case, of at most 63 bytes. */
export function csiDriverNameErrors(field: string, driver: string): FieldError[] {
  return [
    ...(driver === '' ? [requiredField(field)] : []),
    ...(driver.length > 63 ? [tooLongField(field, 63)] : []),
    ...invalids(field, driver, dns1123SubdomainProblems(driver.toLowerCase())),
  ];
}

function csiErrors(source: JsonObject, path: string): FieldError[] {
  const errors = csiDriverNameErrors(`${path}.driver`, textAt(source, 'driver'));
  const secret = objectAt(source, 'nodePublishSecretRef');
  if (secret === undefined) return errors;
  const name = textAt(secret, 'name');
  if (name === '') return [...errors, requiredField(`${path}.nodePublishSecretRef.name`)];
  return [...errors, ...invalids(`${path}.name`, name, dns1123SubdomainProblems(name))];
}

/** Rules of the sources that stand for storage outside the cluster, by field name. */
export const storageRules: Readonly<Record<string, SourceRule>> = {
  gcePersistentDisk: diskErrors('pdName'),
  awsElasticBlockStore: diskErrors('volumeID'),
  nfs: nfsErrors,
  iscsi: iscsiErrors,
  glusterfs: needs('endpoints', 'path'),
  flocker: flockerErrors,
  rbd: needsList('monitors', 'image'),
  cinder: (source, path) => [...requiredTexts(source, path, ['volumeID']), ...secretNameErrors(source, path)],
  cephfs: needsList('monitors'),
  quobyte: quobyteErrors,
  fc: fibreChannelErrors,
  flexVolume: flexErrors,
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk: azureDiskErrors,
  storageos: storageOsErrors,
  scaleIO: needs('gateway', 'system', 'volumeName'),
  csi: csiErrors,
};

/** `Forbidden: may not specify more than 1 volume type` */
export function secondSource(field: string): FieldError {
  return forbiddenField(field, 'may not specify more than 1 volume type');
}
