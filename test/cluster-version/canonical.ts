import { isJsonEqual, isJsonObject, type JsonObject, type JsonValue, objectAt, textAt } from '../../src/base/index.ts';

const uidPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const addressPattern = /\b127\.0\.0\.1:\d+/g;
const serviceAddressPattern = /\b10\.96\.\d+\.\d+/g;
const clockPattern = /\b\d\d:\d\d:\d\dZ/g;
const podPattern = /\bversion-([\d.]+)-[a-z0-9]{5}\b/g;
const replicaSetPattern = /\bReplicaSet "([\w-]+)-[a-z0-9]{5,10}"/g;
const keyPattern = /-----BEGIN PGP PUBLIC KEY BLOCK-----.*-----END PGP PUBLIC KEY BLOCK-----\n/gs;
const unreachable = /dial tcp 127\.0\.0\.1:\d+: connect: connection refused/g;

const omittedMetadata = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'generation',
]);
/** The cluster writes them, the engine only reads them. */
const omittedAnnotations = new Set(['deployment.kubernetes.io/revision']);

function textOf(text: string): string {
  return text
    .replace(replicaSetPattern, 'ReplicaSet "$1-<hash>"')
    .replace(keyPattern, '<key>')
    .replace(unreachable, 'connection refused')
    .replace(uidPattern, '<uid>')
    .replace(timePattern, '<time>')
    .replace(clockPattern, '<time>')
    .replace(addressPattern, '<address>')
    .replace(serviceAddressPattern, '<ip>')
    .replace(podPattern, 'version-$1-<random>');
}

function byType(items: JsonValue[]): JsonValue[] {
  const typeOf = (item: JsonValue): string => (isJsonObject(item) ? textAt(item, 'type') : '');
  return items.toSorted((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1));
}

function valueOf(value: JsonValue, key: string): JsonValue {
  if (typeof value === 'string') return textOf(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => valueOf(item, ''));
    return key === 'conditions' ? byType(items) : items;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(key === 'capabilities' ? capabilitiesOf(value) : value).filter(
    ([name]) => name !== 'lastTransitionTime',
  );
  return Object.fromEntries(
    members
      .map(([name, member = null]): [string, JsonValue] => [textOf(name), valueOf(member, name)])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function metadataOf(object: JsonObject): JsonObject {
  const members = Object.entries(objectAt(object, 'metadata') ?? {}).filter(([name]) => !omittedMetadata.has(name));
  const metadata: JsonObject = Object.fromEntries(members);
  const annotations = Object.entries(objectAt(metadata, 'annotations') ?? {});
  const kept = annotations.filter(([name]) => !omittedAnnotations.has(name));
  delete metadata['annotations'];
  return kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) };
}

/** They are long, and mostly the same. */
function capabilitiesOf(capabilities: JsonObject): JsonObject {
  const { enabledCapabilities = null, knownCapabilities = null } = capabilities;
  if (!isJsonEqual(enabledCapabilities, knownCapabilities)) return capabilities;
  return { ...capabilities, enabledCapabilities: 'all that are known' };
}

/** An object without what is different each time; its status only where the engine or an operator writes it. */
export function canonicalObject(object: JsonObject): JsonObject {
  const hasStatus = ['ClusterVersion', 'ClusterOperator'].includes(textAt(object, 'kind'));
  const members = Object.entries(object).filter(([name]) => hasStatus || name !== 'status');
  return valueOf({ ...Object.fromEntries(members), metadata: metadataOf(object) }, '') as JsonObject;
}

/** The same for a text. */
export function canonicalText(text: string): string {
  return textOf(text);
}

/** `Kind namespace/name` */
export function keyOf(object: JsonObject): string {
  const metadata = objectAt(object, 'metadata');
  const place = [textAt(metadata, 'namespace'), textAt(metadata, 'name')].filter((part) => part !== '').join('/');
  return `${textAt(object, 'kind')} ${place}`;
}
