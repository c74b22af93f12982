import {
  formatTimestamp,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../src/base/index.ts';
import { asJson, type KubeObject } from '../../core/index.ts';
import { type Approval, approvalOf } from './approval.ts';

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

interface Conflict {
  readonly reason: string;
  readonly name: string;
}

interface NameCheck {
  readonly accepted: JsonObject;
  readonly condition: Condition;
}

function acceptedOf(crd: KubeObject): JsonObject {
  return objectAt(asJson(crd), 'status', 'acceptedNames') ?? {};
}

/** Names taken by others of the group: resources (plural, singular, short) and kinds (kind, list kind) are two sets. */
function takenNames(
  group: string,
  others: readonly KubeObject[],
): { readonly resources: Set<string>; readonly kinds: Set<string> } {
  const same = others.filter((other) => textAt(objectAt(asJson(other), 'spec'), 'group') === group).map(acceptedOf);
  const texts = (names: JsonObject, keys: readonly string[]): string[] =>
    keys.map((key) => textAt(names, key)).filter((name) => name !== '');
  return {
    resources: new Set(
      same.flatMap((names) => [...texts(names, ['plural', 'singular']), ...listAt(names, 'shortNames').map(String)]),
    ),
    kinds: new Set(same.flatMap((names) => texts(names, ['kind', 'listKind']))),
  };
}

const resourceNames = [
  ['plural', 'PluralConflict'],
  ['singular', 'SingularConflict'],
] as const;
const kindNames = [
  ['kind', 'KindConflict'],
  ['listKind', 'ListKindConflict'],
] as const;

function checkNames(crd: KubeObject, others: readonly KubeObject[]): NameCheck {
  const spec = objectAt(asJson(crd), 'spec');
  const requested = objectAt(spec, 'names') ?? {};
  const before = acceptedOf(crd);
  const taken = takenNames(textAt(spec, 'group'), others);
  const accepted: JsonObject = {
    ...structuredClone(before),
    kind: textAt(before, 'kind'),
    plural: textAt(before, 'plural'),
  };
  const conflicts: Conflict[] = [];
  const take = (set: ReadonlySet<string>, [key, reason]: readonly [string, string]): void => {
    const name = textAt(requested, key);
    if (set.has(name)) conflicts.push({ reason, name });
    else if (name !== '') accepted[key] = name;
  };
  for (const row of resourceNames) take(taken.resources, row);
  const short = listAt(requested, 'shortNames').map(String);
  const takenShort = short.filter((name) => taken.resources.has(name));
  conflicts.push(...takenShort.map((name) => ({ reason: 'ShortNamesConflict', name })));
  if (takenShort.length === 0) setOrDrop(accepted, 'shortNames', short);
  for (const row of kindNames) take(taken.kinds, row);
  setOrDrop(accepted, 'categories', listAt(requested, 'categories').map(String));
  // Of several conflicts the last one is reported.
  return { accepted, condition: namesCondition(conflicts.at(-1)) };
}

function setOrDrop(target: JsonObject, key: string, list: string[]): void {
  if (list.length > 0) target[key] = list;
  else delete target[key];
}

function namesCondition(conflict: Conflict | undefined): Condition {
  if (conflict === undefined)
    return { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  return {
    type: 'NamesAccepted',
    status: 'False',
    reason: conflict.reason,
    message: `"${conflict.name}" is already in use`,
  };
}

function conditionStatus(conditions: readonly JsonObject[], type: string): string {
  return textAt(
    conditions.find((condition) => condition['type'] === type),
    'status',
  );
}

const initialNames = 'the initial names have been accepted';

/** Established, once True, stays. It becomes True one step after the names were accepted, so that watchers see both states. */
function establishedCondition(conditions: readonly JsonObject[], names: Condition): Condition {
  if (
    conditionStatus(conditions, 'Established') === 'True' ||
    (names.status === 'True' && conditionStatus(conditions, 'NamesAccepted') === 'True')
  ) {
    return { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: initialNames };
  }
  if (names.status === 'True')
    return { type: 'Established', status: 'False', reason: 'Installing', message: initialNames };
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

function approvalCondition({ isConformant, reason, message }: Approval): Condition {
  const status = isConformant ? 'True' : 'False';
  return { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message };
}

/** Puts a condition in its place among others; the time moves only with the status. */
export function withCondition(conditions: readonly JsonObject[], next: Condition, now: string): JsonObject[] {
  const index = conditions.findIndex((condition) => condition['type'] === next.type);
  const old = conditions[index];
  const kept = old !== undefined && old['status'] === next.status ? textAt(old, 'lastTransitionTime') : '';
  const value: JsonObject = {
    lastTransitionTime: kept === '' ? now : kept,
    message: next.message,
    reason: next.reason,
    status: next.status,
    type: next.type,
  };
  return index === -1 ? [...conditions, value] : conditions.with(index, value);
}

/** The status that follows from a CustomResourceDefinition's spec, its present status and the other definitions (those of other groups do not
 *  count). Apply it until it changes nothing: a new definition takes two steps, Installing and then Established.
 *  @see docs/spec/kube-api-types.md#conditions-name-acceptance-lifecycle */
export function crdStatus(crd: KubeObject, others: readonly KubeObject[], nowMs: number): JsonObject {
  const status = objectAt(asJson(crd), 'status') ?? {};
  const { accepted, condition } = checkNames(
    crd,
    others.filter((other) => other.metadata.name !== crd.metadata.name),
  );
  const before = objectsAt(status, 'conditions');
  const now = formatTimestamp(nowMs);
  const approval = approvalOf(crd);
  const first = approval === undefined ? before : withCondition(before, approvalCondition(approval), now);
  const named = withCondition(first, condition, now);
  const conditions = withCondition(named, establishedCondition(before, condition), now);
  return {
    ...structuredClone(status),
    conditions,
    acceptedNames: accepted,
    storedVersions: storedVersions(crd, status),
  };
}

/** The versions that objects may be stored in: the storage version is added, none is ever dropped. */
export function storedVersions(crd: KubeObject, status: JsonObject): JsonValue[] {
  const stored = listAt(status, 'storedVersions');
  const versions = listAt(objectAt(asJson(crd), 'spec'), 'versions').filter((version) => isJsonObject(version));
  const version = versions.find((candidate) => candidate['storage'] === true);
  const name = textAt(version, 'name');
  return version === undefined || stored.includes(name) ? [...stored] : [...stored, name];
}
