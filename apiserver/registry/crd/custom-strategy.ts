import {
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  lazily,
  valueAt,
} from '../../../src/base/index.ts';
import {
  compileDefaults,
  compileListTypes,
  compileSchema,
  dns1123SubdomainProblems,
  type FieldError,
  maxDefaultedCharacters,
  type Schema,
  tooManyChecks,
} from '../../../src/schema/index.ts';
import {
  asJson,
  finalizerWarnings,
  type KubeObject,
  type ScalePaths,
  StatusError,
  type Strategy,
} from '../../core/index.ts';
import { pruneCustom, UnreadableObject } from '../../schema/index.ts';
import {
  compileEmbeddedWalk,
  embeddedObjectErrors,
  embeddedTypeError,
  metadataProblem,
  settleMetadata,
} from './embedded-objects.ts';
import { createRuleChecks } from './rule-checks.ts';
import { specScaleErrors, statusScaleErrors } from './scale-rules.ts';

/** One version of a CustomResourceDefinition as its objects need it. */
export interface CustomVersion {
  readonly kind: string;
  readonly hasStatus: boolean;
  /** As the author wrote it. */
  readonly schema: Schema;
  readonly scale: ScalePaths | undefined;
  readonly selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
}

/** What is done to objects of one version, made ready once. */
export interface CustomObjects {
  /** Brings a body into form: metadata is ObjectMeta, unknown fields go, nulls that mean nothing too. Changes `object`.
   *  @returns the unknown fields
   *  @throws UnreadableObject for metadata of wrong types · StatusError 413 when its defaults make it too large */
  decode(object: KubeObject): string[];
  /** Takes out what the schema does not know and sets its defaults. Changes `object`.
   *  @throws StatusError 413 when its defaults make it too large */
  applyDefaults(object: KubeObject): void;
  /** The same for an object that is stored: it is read even where not all defaults of a later schema fit into it.
   *  @returns the characters of JSON that the defaults have */
  complete(object: KubeObject): number;
  /** Takes out what the schema does not know. Changes `object`. */
  prune(object: KubeObject): void;
  validate(object: KubeObject, old: KubeObject | undefined, subresource: string | undefined): FieldError[];
}

/** Everything but metadata is the schema's. */
function withoutMetadata(object: JsonObject, work: (rest: JsonObject) => number): number {
  const { metadata } = object;
  delete object['metadata'];
  const result = work(object);
  if (metadata !== undefined) object['metadata'] = metadata;
  return result;
}

function tooLargeByDefaults(): StatusError {
  const message =
    'Request entity too large: with the defaults of its schema the object has more than 3 MiB: shorten its lists';
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
}

/** Makes the schema of a version ready for its objects, with the first of them: most definitions of a cluster get none while a process runs. */
export function compileObjects(version: CustomVersion): CustomObjects {
  const { schema, scale } = version;
  const embedded = lazily(() => compileEmbeddedWalk(schema));
  const defaults = lazily(() => compileDefaults(schema));
  const rules = lazily(() => compileRules(version));
  const complete = (json: JsonObject): { readonly unknown: string[]; readonly characters: number } => {
    const unknown = pruneCustom(json, schema, { isObject: true });
    return { unknown, characters: withoutMetadata(json, defaults()) };
  };
  const applyDefaults = (json: JsonObject): string[] => {
    const { unknown, characters } = complete(json);
    if (characters > maxDefaultedCharacters) throw tooLargeByDefaults();
    return unknown;
  };
  return {
    decode: (object) => {
      const json = asJson(object);
      const problem = metadataProblem(valueAt(json, 'metadata') ?? null);
      if (problem !== undefined) throw new UnreadableObject(problem);
      const unknownMetadata = settleMetadata(json, '');
      // An object of another kind is validated later, by its kind alone.
      if (object.kind !== version.kind) return unknownMetadata;
      const unknown = [...unknownMetadata, ...applyDefaults(json)];
      embedded()?.(json, '', (inner, path) => {
        const error = embeddedTypeError(inner, path);
        if (error !== undefined) throw new UnreadableObject(`${error.field}: ${error.message}`);
        unknown.push(...settleMetadata(inner, path));
      });
      return unknown;
    },
    applyDefaults: (object) => void applyDefaults(asJson(object)),
    complete: (object) => complete(asJson(object)).characters,
    prune: (object) => void pruneCustom(asJson(object), schema, { isObject: true }),
    validate: (object, old, subresource) => {
      const errors = rules().ofSchema(asJson(object), old === undefined ? undefined : asJson(old), subresource);
      if (errors.includes(tooManyChecks)) return errors;
      if (subresource !== 'status') errors.push(...specScaleErrors(object, scale));
      errors.push(...statusScaleErrors(object, scale));
      if (subresource !== 'status')
        embedded()?.(asJson(object), '', (inner, at) => errors.push(...embeddedObjectErrors(inner, at)));
      return [...errors, ...rules().ofLists(asJson(object), old === undefined ? undefined : asJson(old))];
    },
  };
}

interface Rules {
  ofSchema(object: JsonObject, old: JsonObject | undefined, subresource: string | undefined): FieldError[];
  /** What was wrong before stays accepted. */
  ofLists(object: JsonObject, old: JsonObject | undefined): FieldError[];
}

function compileRules({ schema }: CustomVersion): Rules {
  const whole = compileSchema(schema);
  const status = schema.properties?.['status'];
  const ofStatus = status === undefined ? undefined : compileSchema(status);
  const checkLists = compileListTypes(schema);
  return {
    ofSchema: (object, old, subresource) => {
      if (subresource !== 'status') return whole.validate(object, { old });
      const value = valueAt(object, 'status');
      if (value === undefined || ofStatus === undefined) return [];
      return ofStatus.validate(value, { old: valueAt(old, 'status'), root: 'status' });
    },
    ofLists: (object, old) => {
      const errors = checkLists?.(object, '') ?? [];
      if (errors.length === 0 || old === undefined) return errors;
      return (checkLists?.(old, '') ?? []).length === 0 ? errors : [];
    },
  };
}

function pathValue(object: KubeObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = asJson(object);
  for (const key of path.replace(/^\./, '').split('.')) value = isJsonObject(value) ? valueAt(value, key) : undefined;
  return value;
}

/** What a field selector compares: texts as they are, numbers and booleans printed, all else empty. */
export function selectedText(object: KubeObject, path: string): string {
  const value = pathValue(object, path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function restore(object: KubeObject, old: KubeObject, names: Iterable<string>): void {
  for (const name of names) {
    const value = valueAt(asJson(old), name);
    if (value === undefined) delete asJson(object)[name];
    else asJson(object)[name] = structuredClone(value);
  }
}

function keepAllButStatus(object: KubeObject, old: KubeObject): void {
  const names = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const name of ['status', 'metadata', 'apiVersion', 'kind']) names.delete(name);
  restore(object, old, names);
  const { managedFields, resourceVersion } = object.metadata;
  object.metadata = {
    ...structuredClone(old.metadata),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(managedFields === undefined ? {} : { managedFields }),
  };
}

/** The behaviour of one version of a custom resource: status apart where there is a status subresource, pruning, defaults, validation by schema.
 *  @see docs/spec/kube-api-types.md#custom-resource-request-handling */
export function createCustomStrategy(version: CustomVersion, objects: CustomObjects): Strategy {
  const rules = lazily(() => createRuleChecks(version.schema));
  const outside = new Set(version.hasStatus ? ['metadata', 'status'] : ['metadata']);
  return {
    prepareForCreate: (object) => {
      if (version.hasStatus) delete asJson(object)['status'];
    },
    prepareForUpdate: (object, old) => {
      if (version.hasStatus) restore(object, old, ['status']);
    },
    prepareForStatusUpdate: keepAllButStatus,
    decode: (object) => objects.decode(object),
    applyDefaults: (object) => objects.applyDefaults(object),
    validate: (object, old, subresource) => {
      const errors = objects.validate(object, old, subresource);
      if (errors.includes(tooManyChecks)) return errors;
      return [...errors, ...(rules()?.errors(object, old, errors) ?? [])];
    },
    validationWarnings: (object) => rules()?.warnings(object) ?? [],
    warnings: finalizerWarnings,
    hasGeneration: true,
    isNewGeneration: (object, old) => {
      const names = new Set([...Object.keys(object), ...Object.keys(old)]);
      const differs = (name: string): boolean =>
        !isJsonEqual(valueAt(asJson(object), name), valueAt(asJson(old), name));
      return [...names].some((name) => !outside.has(name) && differs(name));
    },
    allowsUnconditionalUpdate: false,
    allowsCreateOnUpdate: false,
    answersDeleteWithObject: false,
    metadataChecks: { step: true, asNew: 0 },
    defaultPropagation: 'Background',
    graceSeconds: () => undefined,
    selectableFields: version.selectableFields,
    nameProblems: dns1123SubdomainProblems,
  };
}
