import { alreadyExists, conflict, invalid, type KubeObject, StatusError } from '../core/index.ts';
import type { WriteTarget } from './write-context.ts';
import { sentVersion } from './write-metadata.ts';

/** 409: the object has been changed since it was read. */
export function modifiedSince(target: WriteTarget, name: string): StatusError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  return conflict(target.type, name, why);
}

/** 500: a new object has no version yet. */
export function versionOnCreate(): StatusError {
  return new StatusError({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
}

/** 409: every name tried is taken. */
export function cannotGenerate(target: WriteTarget, object: KubeObject): StatusError {
  const { failure } = alreadyExists(target.type, object.metadata.name ?? '');
  return new StatusError({
    ...failure,
    message: `${failure.message}, the server was not able to generate a unique name for the object`,
    details: { ...failure.details, retryAfterSeconds: 1 },
  });
}

/** Prefixes under which etcd holds some kinds: they show in a message. */
const storagePrefixes: Readonly<Record<string, string>> = {
  replicationcontrollers: 'controllers',
  endpoints: 'services/endpoints',
  nodes: 'minions',
  services: 'services/specs',
  'ingresses.networking.k8s.io': 'ingress',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions',
  'apiservices.apiregistration.k8s.io': 'apiregistration.k8s.io/apiservices',
};

function storagePath({ type, namespace, name }: WriteTarget): string {
  const builtIn = Object.hasOwn(storagePrefixes, type.storageKey) ? storagePrefixes[type.storageKey] : type.plural;
  const prefix = type.isCustom ? `${type.group}/${type.plural}` : builtIn;
  return `/registry/${prefix}/${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** What an object is sent with must be what the stored one has; `live` is empty where there is none.
 *  @throws StatusError 409 */
export function checkUid(target: WriteTarget, { metadata }: KubeObject, live: string): void {
  const { uid = '' } = metadata;
  if (uid === '' || uid === live) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live}`;
  const where = `Code: 4, Key: ${storagePath(target)}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
  throw conflict(target.type, target.name, `StorageError: invalid object, ${where}`);
}

/** Checks that the object is sent with the version of the stored one, or without where that is allowed.
 *  @throws StatusError 409, 422; 500 for a version that is no number */
export function checkVersion(options: {
  readonly target: WriteTarget;
  readonly desired: KubeObject;
  readonly live: KubeObject;
  readonly mayOmit: boolean;
}): void {
  const { target, desired, live, mayOmit } = options;
  const sent = sentVersion(desired);
  if (Number.isNaN(sent)) {
    const text = JSON.stringify(desired.metadata.resourceVersion);
    throw new StatusError({ code: 500, message: `strconv.ParseUint: parsing ${text}: invalid syntax` });
  }
  if (sent !== 0) {
    if (desired.metadata.resourceVersion !== live.metadata.resourceVersion) throw modifiedSince(target, target.name);
    return;
  }
  if (mayOmit) return;
  const message = 'Invalid value: 0x0: must be specified for an update';
  const kind = { group: target.type.group, kind: target.type.plural };
  throw invalid(kind, target.name, [{ field: 'metadata.resourceVersion', reason: 'FieldValueInvalid', message }]);
}

/** @throws StatusError 409: an apply that names an object by its uid does not create another */
export function refuseUidOfAbsent({ type, name }: WriteTarget, { metadata }: KubeObject): void {
  const { uid = '' } = metadata;
  if (uid === '') return;
  throw conflict(
    type,
    name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
}
