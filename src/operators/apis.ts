import { type ClusterServiceVersion } from '../api/index.ts';

/** An API by group, version and kind. */
export interface ApiKey {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** `Kind.version.group` */
export function formatApi({ group, version, kind }: ApiKey): string {
  return `${kind}.${version}.${group}`;
}

/** Reads `Kind.version.group`; undefined where a part is missing. */
function parseApi(text: string): ApiKey | undefined {
  const [kind = '', version = '', ...group] = text.split('.');
  return kind === '' || version === '' || group.length === 0 ? undefined : { kind, version, group: group.join('.') };
}

/** APIs, each once, in the order of their text. */
export class ApiSet {
  readonly #apis: ReadonlyMap<string, ApiKey>;

  constructor(apis: Iterable<ApiKey> = []) {
    const sorted = [...apis].map((api): [string, ApiKey] => [formatApi(api), api]);
    this.#apis = new Map(sorted.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  get size(): number {
    return this.#apis.size;
  }

  values(): readonly ApiKey[] {
    return [...this.#apis.values()];
  }

  has(api: ApiKey): boolean {
    return this.#apis.has(formatApi(api));
  }

  union(other: ApiSet): ApiSet {
    return new ApiSet([...this.values(), ...other.values()]);
  }

  intersection(other: ApiSet): ApiSet {
    return new ApiSet(this.values().filter((api) => other.has(api)));
  }

  difference(other: ApiSet): ApiSet {
    return new ApiSet(this.values().filter((api) => !other.has(api)));
  }

  isSubsetOf(other: ApiSet): boolean {
    return this.values().every((api) => other.has(api));
  }

  /** The value of the annotation `olm.providedAPIs`: sorted, joined by commas. */
  toString(): string {
    return [...this.#apis.keys()].join(',');
  }
}

/** Reads the annotation `olm.providedAPIs`; entries that are no API are left out.
 *  @see docs/spec/olm-v0.md#olm-providedapis */
export function parseApis(text: string | undefined): ApiSet {
  return new ApiSet((text ?? '').split(',').flatMap((entry) => parseApi(entry) ?? []));
}

type Apis = 'owned' | 'required';

function apisOf({ spec }: ClusterServiceVersion, which: Apis): ApiSet | undefined {
  const definitions = spec.customresourcedefinitions?.[which] ?? [];
  if (definitions.some(({ name }) => !name.includes('.'))) return undefined;
  const fromCrds = definitions.map(({ name, version, kind }) => {
    return { group: name.slice(name.indexOf('.') + 1), version, kind };
  });
  const served = spec.apiservicedefinitions?.[which] ?? [];
  return new ApiSet([...fromCrds, ...served.map(({ group, version, kind }) => ({ group, version, kind }))]);
}

/** The APIs that an operator provides, by CustomResourceDefinitions and APIServices; undefined if the name of a definition has no dot, which leaves
 *  them unknown.
 *  @see docs/spec/olm-v0.md#one-csv-reconcile */
export function ownedApis(csv: ClusterServiceVersion): ApiSet | undefined {
  return apisOf(csv, 'owned');
}

/** The APIs that an operator needs. @see ownedApis */
export function requiredApis(csv: ClusterServiceVersion): ApiSet | undefined {
  return apisOf(csv, 'required');
}

const fnvOffset = 0xcbf29ce484222325n;
const fnvPrime = 0x100000001b3n;

/** FNV-1a of 64 bits, in hexadecimal without leading zeros. */
export function fnv64(text: string): string {
  let hash = fnvOffset;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * fnvPrime);
  return hash.toString(16);
}

/** The hash over the text of an API: the end of labels that name an API.
 *  @see docs/spec/olm-v0.md#constant-index */
export function apiLabelHash(api: ApiKey): string {
  return fnv64(formatApi(api));
}
