import { isTrueAt, type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../../src/base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidField,
  notFoundField,
  requiredField,
  unsupportedField,
} from '../../../../src/schema/index.ts';
import { each } from '../checks.ts';
import { descendingPathErrors, noBackstepErrors } from './paths.ts';

type Volumes = ReadonlyMap<string, JsonObject>;

/** Names of volumes, and paths. */
interface TakenPlaces {
  readonly names: Set<string>;
  readonly paths: Set<string>;
}

/** Of a volume that is there twice the last path counts. */
function placesOf(container: JsonObject, list: string, key: string): TakenPlaces {
  const paths = new Map(objectsAt(container, list).map((item) => [textAt(item, 'name'), textAt(item, key)]));
  return { names: new Set(paths.keys()), paths: new Set(paths.values()) };
}

const propagations = ['Bidirectional', 'HostToContainer', 'None'];

/** These three point at the list, not at the mount. */
function propagationErrors(mount: JsonObject, list: string, container: JsonObject): FieldError[] {
  const value = valueAt(mount, 'mountPropagation');
  if (typeof value !== 'string') return [];
  const field = `${list}.mountPropagation`;
  const errors = propagations.includes(value) ? [] : [unsupportedField(field, value, propagations)];
  const isPrivileged = isTrueAt(objectAt(container, 'securityContext'), 'privileged');
  const text = 'Bidirectional mount propagation is available only to privileged containers';
  return value === 'Bidirectional' && !isPrivileged ? [...errors, forbiddenField(field, text)] : errors;
}

function recursiveErrors(mount: JsonObject, list: string): FieldError[] {
  const value = valueAt(mount, 'recursiveReadOnly');
  const field = `${list}.recursiveReadOnly`;
  if (typeof value !== 'string' || value === 'Disabled') return [];
  if (value !== 'Enabled' && value !== 'IfPossible') {
    return [unsupportedField(field, value, ['Disabled', 'Enabled', 'IfPossible'])];
  }
  const errors: FieldError[] = [];
  if (!isTrueAt(mount, 'readOnly')) errors.push(forbiddenField(field, 'may only be specified when readOnly is true'));
  const propagation = valueAt(mount, 'mountPropagation') ?? 'None';
  if (propagation !== 'None') {
    errors.push(forbiddenField(field, 'may only be specified when mountPropagation is None or not specified'));
  }
  return errors;
}

function subPathErrors(mount: JsonObject, at: string, list: string): FieldError[] {
  const [plain, expression] = [textAt(mount, 'subPath'), textAt(mount, 'subPathExpr')];
  const errors = plain === '' ? [] : descendingPathErrors(`${list}.subPath`, plain);
  if (expression === '') return errors;
  const both = invalidField(`${at}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive');
  return [...errors, ...(plain === '' ? [] : [both]), ...descendingPathErrors(`${list}.subPathExpr`, expression)];
}

function clashErrors(
  name: string,
  path: string,
  place: {
    readonly at: string;
    readonly key: string;
    readonly other: string;
    readonly taken: TakenPlaces;
  },
): FieldError[] {
  const { at, key, other, taken } = place;
  const errors: FieldError[] = [];
  if (taken.names.size === 0) return errors;
  if (taken.names.has(name)) errors.push(invalidField(`${at}.name`, name, `must not already exist in ${other}`));
  if (taken.paths.has(path)) {
    errors.push(invalidField(`${at}.${key}`, path, `must not already exist as a path in ${other}`));
  }
  return errors;
}

/** Errors of `volumeMounts`: of volumes that are there and well, each path once, none that a device has. */
export function mountErrors(container: JsonObject, path: string, volumes: Volumes): FieldError[] {
  const devices = placesOf(container, 'volumeDevices', 'devicePath');
  const list = `${path}.volumeMounts`;
  const paths = new Set<string>();
  return each(container, { path, key: 'volumeMounts' }, (mount, at) => {
    const [name, mountPath] = [textAt(mount, 'name'), textAt(mount, 'mountPath')];
    const errors: FieldError[] = [];
    if (name === '') errors.push(requiredField(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFoundField(`${at}.name`, name));
    if (mountPath === '') errors.push(requiredField(`${at}.mountPath`));
    if (paths.has(mountPath)) errors.push(invalidField(`${at}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    return [
      ...errors,
      ...clashErrors(name, mountPath, { at, key: 'mountPath', other: 'volumeDevices', taken: devices }),
      ...subPathErrors(mount, at, list),
      ...propagationErrors(mount, list, container),
      ...recursiveErrors(mount, list),
    ];
  });
}

function deviceSourceErrors(name: string, at: string, volumes: Volumes): FieldError[] {
  const volume = volumes.get(name);
  if (volume === undefined) return [notFoundField(`${at}.name`, name)];
  const isClaim = objectAt(volume, 'persistentVolumeClaim') ?? objectAt(volume, 'ephemeral');
  const text = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
  return isClaim === undefined ? [invalidField(`${at}.name`, name, text)] : [];
}

function devicePathErrors(devicePath: string, at: string, taken: TakenPlaces): FieldError[] {
  const field = `${at}.devicePath`;
  const errors = devicePath === '' ? [requiredField(field)] : [];
  if (taken.paths.has(devicePath)) errors.push(invalidField(field, devicePath, 'must be unique'));
  if (noBackstepErrors(field, devicePath).length > 0) {
    errors.push(invalidField(field, devicePath, "can not contain backsteps ('..')"));
  } else taken.paths.add(devicePath);
  return errors;
}

/** Errors of `volumeDevices`: claims only, each name and path once, none that a mount has. */
export function deviceErrors(container: JsonObject, path: string, volumes: Volumes): FieldError[] {
  const mounts = placesOf(container, 'volumeMounts', 'mountPath');
  const taken: TakenPlaces = { names: new Set(), paths: new Set() };
  return each(container, { path, key: 'volumeDevices' }, (device, at) => {
    const [name, devicePath] = [textAt(device, 'name'), textAt(device, 'devicePath')];
    const errors = name === '' ? [requiredField(`${at}.name`)] : [];
    if (taken.names.has(name)) errors.push(invalidField(`${at}.name`, name, 'must be unique'));
    if (name !== '') taken.names.add(name);
    return [
      ...errors,
      ...deviceSourceErrors(name, at, volumes),
      ...devicePathErrors(devicePath, at, taken),
      ...clashErrors(name, devicePath, { at, key: 'devicePath', other: 'volumeMounts', taken: mounts }),
    ];
  });
}
