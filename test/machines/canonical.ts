import { isJsonObject, type JsonObject, type JsonValue, objectAt, textAt } from '../../src/base/index.ts';

const uidPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const omittedMetadata = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation']);
const omittedMembers = new Set([
  'lastTransitionTime',
  'lastUpdated',
  'deletionGracePeriodSeconds',
  'observedGeneration',
]);

/** The kinds that are recorded. */
const kinds = new Set(['Machine', 'MachineSet', 'MachineHealthCheck', 'Node', 'Pod']);

/** Whether the object is recorded. */
export function isRecorded(object: JsonObject): boolean {
  return kinds.has(textAt(object, 'kind'));
}

/** A text without what is different each time. */
export function canonicalText(text: string): string {
  return text.replace(uidPattern, '<uid>').replace(timePattern, '<time>');
}

function valueOf(value: JsonValue): JsonValue {
  if (typeof value === 'string') return canonicalText(value);
  if (Array.isArray(value)) return value.map(valueOf);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !omittedMembers.has(name));
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, member = null]) => [name, valueOf(member)]));
}

/** Pods and Nodes are written by others as well: of them, only what the controllers decide. */
function essence(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata') ?? {};
  const spec = objectAt(object, 'spec') ?? {};
  if (textAt(object, 'kind') === 'Pod') {
    return { kind: 'Pod', isDeleting: metadata['deletionTimestamp'] !== undefined };
  }
  if (textAt(object, 'kind') !== 'Node') return object;
  const { labels = {}, annotations = {}, name = '' } = metadata;
  const { unschedulable = false } = spec;
  return {
    kind: 'Node',
    metadata: { name, labels, annotations },
    spec: { unschedulable, taints: spec['taints'] ?? [] },
  };
}

/** An object without what is different each time. */
export function canonicalObject(object: JsonObject): JsonObject {
  const found = essence(object);
  const metadata = objectAt(found, 'metadata');
  if (metadata === undefined) return valueOf(found) as JsonObject;
  const members = Object.entries(metadata).filter(([name]) => !omittedMetadata.has(name));
  return valueOf({ ...found, metadata: Object.fromEntries(members) }) as JsonObject;
}

/** `Kind namespace/name` */
export function keyOf(object: JsonObject): string {
  const metadata = objectAt(object, 'metadata') ?? {};
  const namespace = textAt(metadata, 'namespace');
  return `${textAt(object, 'kind')} ${namespace === '' ? '' : `${namespace}/`}${textAt(metadata, 'name')}`;
}
