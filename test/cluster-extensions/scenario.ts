import type { JsonObject, JsonValue } from '../../src/base/index.ts';

/** Names one object. */
export interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Files of a bundle, by path. */
export type Files = Readonly<Record<string, string>>;

/** What a catalog holds: documents of a file-based catalog; `image` of a bundle is the key of its files. */
export interface Catalog {
  readonly documents: readonly JsonObject[];
  readonly priority?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** The image has no label that names its folder. */
  readonly isUnlabelled?: true;
}

/** Wait until nothing changes any more, then record everything under the label. */
export interface Rest {
  readonly rest: string;
  /** Texts that the statuses of the ClusterExtensions must have together. It is only waited for: nothing is expected. */
  readonly until?: readonly string[];
  /** No ClusterExtension is left. */
  readonly untilGone?: true;
}

/** One thing that a user does, or a rest. A `try` records under its name whether the API server accepts the object. */
export type Action =
  | { readonly apply: JsonObject }
  | { readonly try: string; readonly apply: JsonObject }
  | { readonly patch: Target; readonly merge: JsonObject }
  | { readonly delete: Target; readonly isOrphaning?: true }
  /** Creates the ClusterCatalog, or gives it other content. */
  | { readonly publish: string; readonly catalog: Catalog }
  /** Deletes the ClusterCatalog. */
  | { readonly withdraw: string }
  | { readonly restart: true }
  | Rest;

/** What users do and what to record. It expects nothing. Texts may hold `$ns`, the namespace of the scenario. */
export interface Scenario {
  readonly id: string;
  /** A sentence about the situation. */
  readonly title: string;
  /** Files of bundles, by the keys that catalogs name. */
  readonly bundles?: Readonly<Record<string, Files>>;
  /** Further namespaces: `$ns-NAME`. */
  readonly namespaces?: readonly string[];
  readonly actions: readonly Action[];
}

/** What the implementation showed at one point of rest. */
export interface Snapshot {
  readonly label: string;
  /** In canonical form, by `Kind namespace/name`. */
  readonly objects: Readonly<Record<string, JsonObject>>;
  /** Of tries, by their names. */
  readonly answers?: Readonly<Record<string, JsonValue>>;
}

/** Everything that one run of a scenario showed. */
export interface Recording {
  readonly title: string;
  readonly snapshots: readonly Snapshot[];
}

/** By the id of the scenario. */
export type Recordings = Readonly<Record<string, Recording>>;

/** Something that behaves as Operator Lifecycle Manager 1 does and runs on a cluster. */
export interface Implementation extends AsyncDisposable {
  readonly kubeconfigPath: string;
  /** Host of the registry for images. */
  readonly registry: {
    readonly host: string;
    putImage(name: string, layers: readonly { readonly files: Files }[], labels?: Record<string, string>): string;
  };
  /** Longer than it takes until what it does next can be seen. */
  readonly quietMs: number;
  /** How long a rest waits for a state. */
  readonly stateLimitMs: number;
  /** Ends its processes and starts them again on the same cluster. */
  restart(): Promise<void>;
  /** @throws Error when a process ended, with the end of its log */
  assertAlive(): Promise<void>;
}
