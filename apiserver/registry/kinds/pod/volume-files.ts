import { type JsonObject, objectAt, objectsAt, textAt } from '../../../../src/base/index.ts';
import { type FieldError, forbiddenField, invalidField, requiredField } from '../../../../src/schema/index.ts';
import { numberAt } from '../../../core/index.ts';
import { each, requiredTexts } from '../checks.ts';
import { fieldReferenceErrors, resourceReferenceErrors, volumeFields } from './field-references.ts';
import { fileInVolumeErrors } from './paths.ts';

const greatestMode = 0o777;
const modeText = 'must be a number between 0 and 0777 (octal), both inclusive';

/** Errors of a file mode; absent is fine. */
function modeErrors(object: JsonObject, path: string, key: string): FieldError[] {
  const mode = numberAt(object, key) ?? 0;
  return mode >= 0 && mode <= greatestMode ? [] : [invalidField(`${path}.${key}`, mode, modeText)];
}

function keyToPathErrors(item: JsonObject, path: string): FieldError[] {
  return [
    ...requiredTexts(item, path, ['key', 'path']),
    ...fileInVolumeErrors(`${path}.path`, textAt(item, 'path')),
    ...modeErrors(item, path, 'mode'),
  ];
}

/** Errors of a volume filled from the keys of a Secret or ConfigMap, whose name stands at `nameKey`. */
export function keyedVolumeErrors(source: JsonObject, path: string, nameKey: string): FieldError[] {
  return [
    ...requiredTexts(source, path, [nameKey]),
    ...modeErrors(source, path, 'defaultMode'),
    ...each(source, { path, key: 'items' }, keyToPathErrors),
  ];
}

function shownErrors(file: JsonObject, path: string): FieldError[] {
  const [field, resource] = [objectAt(file, 'fieldRef'), objectAt(file, 'resourceFieldRef')];
  if (field !== undefined) {
    const errors = fieldReferenceErrors(field, `${path}.fieldRef`, volumeFields);
    const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    return resource === undefined ? errors : [...errors, invalidField(path, 'resource', both)];
  }
  if (resource !== undefined) return resourceReferenceErrors(resource, `${path}.resourceFieldRef`, true);
  return [requiredField(path, 'one of fieldRef and resourceFieldRef is required')];
}

function downwardFileErrors(file: JsonObject, path: string): FieldError[] {
  return [
    ...requiredTexts(file, path, ['path']),
    ...fileInVolumeErrors(`${path}.path`, textAt(file, 'path')),
    ...shownErrors(file, path),
    ...modeErrors(file, path, 'mode'),
  ];
}

/** Errors of a downward API volume; those of its files point at the volume itself. */
export function downwardVolumeErrors(source: JsonObject, path: string): FieldError[] {
  const files = objectsAt(source, 'items').flatMap((file) => downwardFileErrors(file, path));
  return [...modeErrors(source, path, 'defaultMode'), ...files];
}

/** The paths that files of a projected volume took so far. */
type TakenPaths = Set<string>;

interface ProjectionPlace {
  /** Of the projected volume. */
  readonly volume: string;
  readonly taken: TakenPaths;
}

function takePath(path: string, shown: string, { volume, taken }: ProjectionPlace): FieldError[] {
  if (path === '') return [];
  if (taken.has(path)) return [invalidField(volume, shown, 'conflicting duplicate paths')];
  taken.add(path);
  return [];
}

function projectedKeysErrors(source: JsonObject, path: string, place: ProjectionPlace): FieldError[] {
  const name = textAt(source, 'name');
  const items = each(source, { path, key: 'items' }, (item, at) => [
    ...keyToPathErrors(item, at),
    ...takePath(textAt(item, 'path'), name, place),
  ]);
  return [...requiredTexts(source, path, ['name']), ...items];
}

function projectedFieldsErrors(source: JsonObject, path: string, place: ProjectionPlace): FieldError[] {
  return objectsAt(source, 'items').flatMap((file) => [
    ...downwardFileErrors(file, path),
    ...takePath(textAt(file, 'path'), textAt(file, 'path'), place),
  ]);
}

function projectedTokenErrors(source: JsonObject, path: string, { volume }: ProjectionPlace): FieldError[] {
  const seconds = numberAt(source, 'expirationSeconds') ?? 0;
  const field = `${path}.expirationSeconds`;
  const errors: FieldError[] = [];
  if (seconds < 600) errors.push(invalidField(field, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > 2 ** 32) {
    errors.push(invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  const file = textAt(source, 'path');
  if (file === '') return [...errors, requiredField(`${volume}.path`)];
  return [...errors, ...fileInVolumeErrors(`${volume}.path`, file)];
}

const projections: Readonly<
  Record<string, (source: JsonObject, path: string, place: ProjectionPlace) => FieldError[]>
> = {
  secret: projectedKeysErrors,
  configMap: projectedKeysErrors,
  downwardAPI: projectedFieldsErrors,
  serviceAccountToken: projectedTokenErrors,
};

/** Errors of a projected volume. */
export function projectedVolumeErrors(source: JsonObject, path: string): FieldError[] {
  const place = { volume: path, taken: new Set<string>() };
  const sources = each(source, { path, key: 'sources' }, (item, at) => {
    const given = Object.keys(projections).filter((name) => objectAt(item, name) !== undefined);
    const errors = given.flatMap(
      (name) => projections[name]?.(objectAt(item, name) ?? {}, `${at}.${name}`, place) ?? [],
    );
    if (given.length > 1) errors.push(forbiddenField(at, 'may not specify more than 1 volume type per source'));
    return errors;
  });
  return [...modeErrors(source, path, 'defaultMode'), ...sources];
}
