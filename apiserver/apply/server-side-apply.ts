import {
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  TerminalError,
} from '../../src/base/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { badRequest, copyJson, type KubeObject, StatusError, type Steps } from '../core/index.ts';
import { dropNulls, goJson, unstructuredProblem } from '../schema/index.ts';
import { applyConflict } from './apply-conflict.ts';
import { FieldSet } from './field-set.ts';
import { identityOf, type ManagerEntry, type Managers } from './managed-fields.ts';
import { mergeApplied, withoutNewNulls } from './merge.ts';
import { type Conflict, conflictsOf, disown, filterComparison, ownable, withoutReset } from './ownership.ts';
import { schemaProblem } from './schema-errors.ts';
import { rootStructure } from './structure.ts';
import {
  type Actor,
  comparable,
  keepTimes,
  ofKnownVersions,
  readManagers,
  trackFromNothing,
  withManagers,
  withoutManagedFields,
} from './track-update.ts';
import { type Comparison, compare, fieldSetOf, removePaths, withNamedParents } from './value-walk.ts';
import { encodeBuiltIn } from './zero-values.ts';

const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
const maxAnnotationsBytes = 256 * 1024;

export interface ServerSideApplyOptions extends Actor {
  /** Undefined when the object does not exist yet. */
  readonly live: KubeObject | undefined;
  /** The body, decoded; its kind and name are already checked against the request. */
  readonly patch: KubeObject;
  readonly force: boolean;
  readonly schema: Schema | undefined;
  readonly resetFields?: FieldSet | undefined;
}

interface Application {
  readonly options: ServerSideApplyOptions;
  readonly live: KubeObject;
  readonly managers: Managers;
  readonly self: string;
}

interface Outcome {
  readonly merged: KubeObject;
  readonly comparison: Comparison;
  readonly conflicts: readonly Conflict[];
  readonly entry: ManagerEntry;
}

function subject({ metadata, apiVersion, kind }: KubeObject): string {
  const group = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}; ${group}, Kind=${kind}`;
}

function checkPatch({ patch, apiVersion, schema }: ServerSideApplyOptions): void {
  if (patch.apiVersion !== apiVersion) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${patch.apiVersion}, expected: ${apiVersion}`,
    );
  }
  if ((patch.metadata.managedFields ?? undefined) !== undefined) throw badRequest('metadata.managedFields must be nil');
  const problem = schemaProblem(patch as JsonObject, schema);
  if (problem === undefined) return;
  throw new StatusError({ code: 500, message: `failed to create typed patch object (${subject(patch)}): ${problem}` });
}

/** What the schema lets pass must still be what the built-in type can hold. */
function checkConvertible({ patch, schema }: ServerSideApplyOptions): void {
  const problem = schema?.definition === undefined ? undefined : unstructuredProblem(patch as JsonObject, schema);
  if (problem === undefined) return;
  const kind = subject(patch).split('; ').at(-1) ?? '';
  const why = `to proper version: unable to convert unstructured object to ${kind}: ${problem}`;
  throw new StatusError({ code: 500, message: `failed to convert new object (${subject(patch)}) ${why}` });
}

function prepare(options: ServerSideApplyOptions): Application {
  const { patch, manager, apiVersion, subresource } = options;
  const live = options.live ?? { apiVersion: patch.apiVersion, kind: patch.kind, metadata: {} };
  const stored = readManagers(live.metadata.managedFields);
  const isUntracked = stored.size === 0 && options.live !== undefined;
  const known = ofKnownVersions(stored, options);
  const managers = isUntracked ? trackFromNothing(live, { ...options, manager: 'before-first-apply' }) : known;
  const self = identityOf({ manager, operation: 'Apply', apiVersion, subresource: subresource ?? '' });
  return { options, live, managers, self };
}

/** Removes what the manager applied before, does not apply now, and no other manager owns. */
function* prune(
  merged: JsonObject,
  previous: FieldSet | undefined,
  others: { readonly owned: FieldSet; readonly schema: Schema | undefined },
): Steps<JsonObject> {
  if (previous === undefined || previous.isEmpty) return merged;
  const { owned, schema } = others;
  const root = rootStructure(schema);
  const remove = (paths: FieldSet): JsonObject => (removePaths(merged, paths, root) ?? {}) as JsonObject;
  const allOf = (value: JsonObject): FieldSet => withNamedParents(fieldSetOf(value, schema), root);
  const last = withNamedParents(previous, root);
  const everything = allOf(merged);
  yield;
  const stripped = allOf(remove(last));
  yield;
  const kept = allOf(remove(everything.difference(stripped.union(withNamedParents(owned, root)))));
  yield;
  return remove(everything.difference(kept).intersection(last));
}

/** Built-in types have no nulls; custom ones keep those that a client wrote. */
function cleaned(value: JsonObject, before: JsonObject, schema: Schema | undefined): KubeObject {
  if (schema?.definition === undefined) return withoutNewNulls(value, before) as KubeObject;
  const copy = copyJson(value);
  dropNulls(copy, schema);
  return copy as KubeObject;
}

function* attempt({ options, live, managers, self }: Application): Steps<Outcome> {
  const { schema, patch, resetFields, manager, apiVersion, subresource } = options;
  const bare = comparable(live, schema);
  const applied = withoutReset(fieldSetOf(patch as JsonObject, schema), resetFields);
  const others = [...managers].filter(([identity]) => identity !== self).map(([, { fields }]) => fields);
  const owned = FieldSet.unionOf([applied, ...others]);
  yield;
  const laid = mergeApplied(bare, patch as JsonObject, schema);
  yield;
  const pruned = yield* prune(laid, managers.get(self)?.fields, { owned, schema });
  yield;
  // Fields emptied by pruning are nulls here: those who own the fields themselves keep them.
  const after = comparable(pruned as KubeObject, schema);
  const comparison = filterComparison(compare(bare, after, schema), resetFields);
  const conflicts = conflictsOf(managers, self, comparison);
  yield;
  const before = managers.get(self)?.time;
  const time = isJsonEqual(bare, after) ? before : options.now;
  const identified = { manager, operation: 'Apply' as const, apiVersion, subresource: subresource ?? '' };
  const entry = { ...identified, time, fields: ownable(applied) };
  const merged = encodeBuiltIn(cleaned(after, laid, schema) as JsonObject, schema) as KubeObject;
  return { merged, comparison, conflicts, entry };
}

/** What of the live object is as in the annotation of client-side apply: `kubectl` may take it from others. */
function lastAppliedFields(live: KubeObject, { apiVersion, schema }: ServerSideApplyOptions): FieldSet {
  const text = live.metadata.annotations?.[lastAppliedAnnotation];
  if (typeof text !== 'string' || text === '') return new FieldSet();
  let last: JsonValue;
  try {
    last = parseJson(lastAppliedAnnotation, text);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return new FieldSet();
    throw thrown;
  }
  if (!isJsonObject(last) || last['apiVersion'] !== apiVersion) return new FieldSet();
  const { added, modified, removed } = compare(last, withoutManagedFields(live) as JsonObject, schema);
  return fieldSetOf(last, schema).difference(added).difference(modified).difference(removed);
}

/** Conflicts that stand in the way of this apply. */
function standing({ options, live }: Application, conflicts: readonly Conflict[]): readonly Conflict[] {
  if (options.force || conflicts.length === 0) return [];
  if (options.manager !== 'kubectl') return conflicts;
  const allowed = lastAppliedFields(live, options);
  return conflicts
    .map(({ entry, fields }) => ({ entry, fields: fields.difference(allowed) }))
    .filter(({ fields }) => !fields.isEmpty);
}

/** `kubectl` keeps the annotation of client-side apply up to date, where the object has one. */
function refreshLastApplied(object: KubeObject, patch: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  if (!annotations?.[lastAppliedAnnotation]) return object;
  const { [lastAppliedAnnotation]: _own, ...rest } = patch.metadata.annotations ?? {};
  const metadata = patch.metadata.annotations === undefined ? patch.metadata : { ...patch.metadata, annotations: rest };
  const text = `${goJson({ ...patch, metadata } as unknown as JsonObject)}\n`;
  const { [lastAppliedAnnotation]: _old, ...others } = annotations;
  const bytes = Object.entries(others).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
  const isTooLong = bytes + Buffer.byteLength(lastAppliedAnnotation + text) > maxAnnotationsBytes;
  const next = isTooLong ? others : { ...others, [lastAppliedAnnotation]: text };
  return { ...object, metadata: { ...object.metadata, annotations: next } };
}

/** Server-side apply: the live object (or a new one) with the patch merged in, what this manager no longer applies pruned, and
 *  `metadata.managedFields` brought up to date. Times stay when nothing changed. Neither argument is changed; defaulting,
 *  admission and validation are for the caller.
 *  @throws StatusError 400 wrong version or managedFields in the patch · 409 conflicts · 500 patch does not fit the schema */
export function* serverSideApply(options: ServerSideApplyOptions): Steps<KubeObject> {
  checkPatch(options);
  const application = prepare(options);
  yield;
  const { merged, comparison, conflicts, entry } = yield* attempt(application);
  yield;
  const obstacles = standing(application, conflicts);
  if (obstacles.length > 0) throw applyConflict(obstacles);
  checkConvertible(options);
  const managers = disown(application.managers, application.self, comparison);
  managers.set(application.self, entry);
  const refreshed = options.manager === 'kubectl' ? refreshLastApplied(merged, options.patch) : merged;
  const object = withManagers(refreshed, managers);
  yield;
  return keepTimes(object, options.live);
}
