import { isJsonObject, type JsonObject, type JsonValue, objectAt, textAt } from '../../src/base/index.ts';
import type { Recording, Snapshot } from './scenario.ts';

/** How long a Deployment or an APIService takes, and what is seen meanwhile, is chance. */
const waitPattern =
  /installing: (?:waiting for (?:deployment|spec update)|missing deployment)|waiting for install components to report healthy|(?:apiServices|webhooks) not installed$/;
const transient = new RegExp(`${waitPattern.source}|(?:^| / )Copied / `);
/** OLM writes whole objects of its Go types, with members that are required there and mean nothing. */
const emptyMembers = new Map([
  ['cleanup', '{"enabled":false}'],
  ['staticProvidedAPIs', 'false'],
]);
const apiLabelPattern = /^olm\.api\.[0-9a-f]+$/;

function isEmpty(name: string, value: JsonValue): boolean {
  if (value === null || emptyMembers.get(name) === JSON.stringify(value)) return true;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

function isWait(value: JsonValue): boolean {
  return isJsonObject(value) && textAt(value, 'phase') !== '' && waitPattern.test(textAt(value, 'message'));
}

/** An entry of the history of a ClusterServiceVersion, as a line. */
function entryOf(item: JsonValue): JsonValue {
  if (!isJsonObject(item) || textAt(item, 'phase') === '' || textAt(item, 'type') !== '') return valueOf(item);
  return `${textAt(item, 'phase')} / ${textAt(item, 'reason')} / ${textAt(item, 'message')}`;
}

/** A component of an Operator, as a line. */
function componentOf(item: JsonValue): JsonValue {
  if (!isJsonObject(item)) return item;
  return ['apiVersion', 'kind', 'namespace', 'name'].map((member) => textAt(item, member)).join(' ');
}

/** Of an object. */
function nameOf(item: JsonValue): string {
  return isJsonObject(item) ? textAt(objectAt(item, 'metadata'), 'name') : '';
}

/** A list that a server answers with, by name: their order is chance in OLM. */
function inOrder(items: readonly JsonValue[]): JsonValue[] {
  return items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function valueOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.filter((item) => !isWait(item)).map(entryOf);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member = null]): [string, JsonValue] => {
    if (name === 'refs' && Array.isArray(member)) return [name, member.map(componentOf)];
    if (name === 'items' && Array.isArray(member)) return [name, inOrder(member).map(valueOf)];
    return [apiLabelPattern.test(name) ? 'olm.api.<hash>' : name, valueOf(member)];
  });
  return Object.fromEntries(members.filter(([name, member]) => !isEmpty(name, member)));
}

/** `NAME{LABELS} VALUE` with the labels in their order. */
function seriesOf(line: string): string {
  const [, name = '', labels = '', value = ''] = /^(\w+)\{(.*)\}(.*)$/.exec(line) ?? [];
  if (name === '') return line;
  const sorted = (labels.match(/\w+="[^"]*"/g) ?? []).toSorted((a, b) => (a < b ? -1 : 1));
  return `${name}{${sorted.join(',')}}${value}`;
}

function snapshotOf(snapshot: Snapshot): Snapshot {
  const { objects, phases, events, metrics, answers = {} } = snapshot;
  const changed = Object.entries(objects).map(([key, object]): [string, JsonObject | null] => [
    key,
    object === null ? null : (valueOf(object) as JsonObject),
  ]);
  // An object that differs from the point before in nothing but that.
  return {
    ...snapshot,
    objects: Object.fromEntries(changed),
    phases: Object.fromEntries(
      // A copy follows its original: which of its phases it has is chance.
      Object.entries(phases).map(([key, seen]) => [key, seen.filter((phase) => !transient.test(phase))]),
    ),
    events: events.filter((event) => !waitPattern.test(event)),
    metrics: metrics.map(seriesOf).toSorted(),
    answers: valueOf(answers as JsonObject) as Record<string, JsonValue>,
  };
}

/** Names that have a random part or a hash are numbered by their content. Their generation or owner identifies them better. */
function keyOf(key: string, object: JsonObject): string {
  const name = key.replace(/ #\d+$/, '');
  const generation = objectAt(object, 'spec')?.['generation'];
  if (/^InstallPlan [^/]+$/.test(key) && generation !== undefined) {
    return `${name} of generation ${JSON.stringify(generation)}`;
  }
  const owner = textAt(objectAt(objectAt(object, 'metadata'), 'labels'), 'olm.owner.namespace');
  return name.endsWith('-<hash>') && owner !== '' ? `${name} of ${owner}` : key;
}

/** The objects at each point of rest, not only those that changed. */
function accumulated(snapshots: readonly Snapshot[]): Snapshot[] {
  let objects: Record<string, JsonObject | null> = {};
  return snapshots.map((snapshot) => {
    objects = { ...objects, ...snapshot.objects };
    const existing = Object.entries(objects).filter((entry): entry is [string, JsonObject] => entry[1] !== null);
    return { ...snapshot, objects: Object.fromEntries(existing.map(([key, object]) => [keyOf(key, object), object])) };
  });
}

/** A recording without what is no behaviour. */
export function comparable({ title, snapshots }: Recording): Recording {
  return { title, snapshots: accumulated(snapshots).map(snapshotOf) };
}
