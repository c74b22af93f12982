import { isJsonObject, type JsonObject, type JsonValue, objectAt, textAt } from '../../src/base/index.ts';

const uidPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const addressPattern = /\b127\.0\.0\.1:\d+/g;
const podAddressPattern = /\b10\.(?:244|96)\.\d+\.\d+/g;
const resourceVersionPattern = /resourceVersion=\d+/g;
const planPattern = /\binstall-[a-z0-9]{5}\b/g;
/** What OLM puts behind a name, from the hash of an object. */
const hashTailPattern = /-(?=[0-9A-Za-z]*\d)(?=[0-9A-Za-z]*[A-Za-z])[0-9A-Za-z]{12,}\b/g;
const hashValuePattern = /\bhash=[\w-]+/g;
const hashKeyPattern = /hash$/i;

const omittedMetadata = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'generation',
  'selfLink',
]);
/** The cluster writes their status, OLM only reads it. */
const kindsWithoutStatus = new Set(['Deployment', 'Service', 'CustomResourceDefinition', 'Namespace', 'Job']);

/** The order of conditions by type is chance; that of a ClusterServiceVersion's conditions, a history without types, is not. */
function orderOf(key: string, list: JsonValue[]): JsonValue[] {
  // OLM takes the target namespaces from a Go map.
  if (key === 'namespaces')
    return list.filter((item) => typeof item === 'string').toSorted((a, b) => a.localeCompare(b, 'en'));
  if (key !== 'conditions') return list;
  const typeOf = (item: JsonValue): string => (isJsonObject(item) ? textAt(item, 'type') : '');
  return list.toSorted((a, b) => typeOf(a).localeCompare(typeOf(b), 'en'));
}

/** An Operator repeats the conditions of its components, which are recorded themselves. */
function isRepeated(name: string, key: string): boolean {
  return name === 'resourceVersion' || (name === 'conditions' && key === 'refs');
}

/** Takes out of the objects of one scenario what is different each time: uids, times, ports, random parts of names. One for each run. */
export class Canonical {
  readonly #slug: RegExp;
  readonly #plans = new Map<string, string>();

  constructor(slug: string) {
    this.#slug = new RegExp(`${slug}(?![a-z0-9])`, 'g');
  }

  text(text: string): string {
    return text
      .replace(this.#slug, '$$id')
      .replace(planPattern, (name) => this.#plan(name))
      .replace(uidPattern, '<uid>')
      .replace(timePattern, '<time>')
      .replace(addressPattern, '<address>')
      .replace(podAddressPattern, '<ip>')
      .replace(resourceVersionPattern, 'resourceVersion=<n>')
      .replace(hashValuePattern, 'hash=<hash>')
      .replace(hashTailPattern, '-<hash>');
  }

  /** `Kind namespace/name` */
  key(object: JsonObject): string {
    const metadata = objectAt(object, 'metadata');
    const place = [textAt(metadata, 'namespace'), textAt(metadata, 'name')].filter((part) => part !== '').join('/');
    const prefix = textAt(metadata, 'generateName');
    // Plans are numbered.
    const shown = prefix === '' || prefix === 'install-' ? place : place.replace(/[^-]*$/, '…');
    return this.text(`${textAt(object, 'kind')} ${shown}`);
  }

  object(object: JsonObject): JsonObject {
    const members = Object.entries(object).filter(([name]) => {
      return !(name === 'status' && kindsWithoutStatus.has(textAt(object, 'kind')));
    });
    const isSecret = object['kind'] === 'Secret';
    return Object.fromEntries(
      members
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => {
          if (isSecret && name === 'data' && isJsonObject(value)) return [name, Object.keys(value).toSorted()];
          return [name, name === 'metadata' ? this.#metadata(value) : this.#value(value ?? null, name)];
        }),
    );
  }

  /** Any JSON, such as an answer of the API. */
  value(value: JsonValue): JsonValue {
    return this.#value(value, '');
  }

  #plan(name: string): string {
    const known = this.#plans.get(name) ?? `install-<${this.#plans.size + 1}>`;
    this.#plans.set(name, known);
    return known;
  }

  #metadata(metadata: JsonValue | undefined): JsonValue {
    if (!isJsonObject(metadata)) return {};
    const isNamed = textAt(metadata, 'generateName') === '';
    const members = Object.entries(metadata).filter(
      ([name]) => !omittedMetadata.has(name) && (isNamed || name !== 'name'),
    );
    return this.#value(Object.fromEntries(members), 'metadata');
  }

  #value(value: JsonValue, key: string): JsonValue {
    if (typeof value === 'string') return this.#string(value, key);
    if (Array.isArray(value))
      return orderOf(
        key,
        value.map((item) => this.#value(item, key)),
      );
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).filter(([name]) => !isRepeated(name, key));
    return Object.fromEntries(
      members
        .map(([name, member]): [string, JsonValue] => [this.text(name), this.#value(member ?? null, name)])
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  #string(text: string, key: string): string {
    if (hashKeyPattern.test(key)) return '<hash>';
    // The steps of a plan hold whole objects, which are recorded once they are applied.
    if (key === 'manifest') return '<manifest>';
    if (key === 'caBundle') return '<certificate>';
    return this.text(text);
  }
}
