import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/index.ts';

const uidPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
/** Zone and port of a Go network error, addresses of Go pointers. */
const pointerPattern = /\(?0x[0-9a-f]{9,16}\)?/g;
/** The volume that every pod gets, named by chance. */
const tokenVolumePattern = /\bkube-api-access-[a-z0-9]{5}\b/g;
/** Go's print of a struct with structs in it, as far as the rule that it broke. */
const structPattern =
  /\b((?:\[\])?(?:core|batch)\.(?:PodTemplateSpec|PodFailurePolicy|SuccessPolicy|NodeSelectorTerm|UncountedTerminatedPods))\{.*?\}(?=: (?:field is immutable|no additions|only additions|uncountedTerminatedPods))/gs;
/** Go's print of an amount. */
const quantityPattern = /\bresource\.Quantity\{.*?Format:"[A-Za-z]*"\}/g;
/** Go's account of how two pods differ, behind the rule against it. */
const differencePattern =
  /(previously negative\)\n|may not be (?:changed|removed)\n|for bound claims\n|is immutable after creation\n)[^]*$/;
/** The name of a type that expressions of one schema see. */
const typePattern = /\bselfType\d+/g;
const addressKeys = new Set(['clusterIP', 'clusterIPs']);
const portKeys = new Set(['nodePort', 'healthCheckNodePort']);
const allocatedPorts = { first: 30_000, last: 32_767 };

/** Takes out of an answer what cannot be the same on two servers or at two times, but keeps what is equal to what: the second uid of a case is
 *  `<uid 2>` wherever it stands. One for each case. */
export class Normaliser {
  readonly #aliases = new Map<string, string>();
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  /** From now on `text` reads `<label>`, also inside longer strings and keys. */
  alias(text: string, label: string): void {
    if (text !== '') this.#aliases.set(text, `<${label}>`);
  }

  value(value: JsonValue): JsonValue {
    this.#learnGeneratedNames(value);
    return this.#walk(value, '');
  }

  text(text: string): string {
    let result = text;
    for (const [from, to] of [...this.#aliases].sort(([a], [b]) => b.length - a.length)) {
      result = result.replaceAll(from, to);
    }
    return result
      .replace(uidPattern, (uid) => this.#ordinal(this.#uids, uid, 'uid'))
      .replace(timePattern, '<time>')
      .replace(tokenVolumePattern, 'kube-api-access-…')
      .replace(quantityPattern, 'resource.Quantity{…}')
      .replace(structPattern, '$1{…}')
      .replace(differencePattern, '$1…')
      .replace(pointerPattern, '<pointer>')
      .replace(typePattern, 'selfType<n>');
  }

  /** A path with its query: versions and continue tokens in it are numbered as in bodies. */
  path(path: string): string {
    const [resource = '', query] = path.split('?', 2);
    if (query === undefined) return this.text(resource);
    const shown = query
      .replace(
        /\bresourceVersion=([1-9]\d*)\b/g,
        (_all, version: string) => `resourceVersion=${this.#ordinal(this.#versions, version, 'rv')}`,
      )
      .replace(/\bcontinue=[^&]+/g, 'continue=<continue>');
    return this.text(`${resource}?${shown}`);
  }

  #ordinal(known: Map<string, string>, text: string, label: string): string {
    const seen = known.get(text) ?? `<${label} ${known.size + 1}>`;
    known.set(text, seen);
    return seen;
  }

  #learnGeneratedNames(value: JsonValue): void {
    if (Array.isArray(value)) for (const item of value) this.#learnGeneratedNames(item);
    if (!isJsonObject(value)) return;
    this.#learnGeneratedName(value);
    for (const child of Object.values(value)) this.#learnGeneratedNames(child ?? null);
  }

  #learnGeneratedName({ generateName, name }: JsonObject): void {
    if (typeof generateName !== 'string' || generateName === '' || typeof name !== 'string') return;
    if (name !== generateName && name.startsWith(generateName)) this.alias(name, `${generateName}…`);
  }

  #walk(value: JsonValue, key: string): JsonValue {
    if (typeof value === 'string') return this.#string(value, key);
    if (typeof value === 'number') return this.#number(value, key);
    if (Array.isArray(value)) return value.map((item) => this.#walk(item, key));
    if (!isJsonObject(value)) return value;
    const result: JsonObject = {};
    for (const name of Object.keys(value).sort()) result[this.text(name)] = this.#walk(value[name] ?? null, name);
    return result;
  }

  #string(text: string, key: string): string {
    if (key === 'resourceVersion' && /^[1-9]\d*$/.test(text)) return this.#ordinal(this.#versions, text, 'rv');
    if (key === 'continue' && text !== '') return '<continue>';
    if (addressKeys.has(key) && /^10\.(9[6-9]|10\d|11[01])\./.test(text)) return '<ip>';
    return this.text(text);
  }

  #number(value: number, key: string): JsonValue {
    const isAllocated = portKeys.has(key) && value >= allocatedPorts.first && value <= allocatedPorts.last;
    return isAllocated ? '<port>' : value;
  }
}
