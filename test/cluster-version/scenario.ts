import type { JsonObject } from '../../src/base/index.ts';

/** Names one object. */
export interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A release payload. Its pull spec is `$image/NAME`, by the name that the scenario gives it. */
export interface Payload {
  readonly version: string;
  /** Of `/release-manifests`, by file name: documents, or the text of the file. */
  readonly files: Readonly<Record<string, readonly JsonObject[] | string>>;
  /** Of `/manifests`, the engine's own: templates. */
  readonly engineFiles?: Readonly<Record<string, readonly JsonObject[] | string>>;
  /** Members that replace those of `release-metadata`. */
  readonly metadata?: JsonObject;
  /** The name in `image-references`, where it is not the version. */
  readonly imageReferencesName?: string;
  readonly images?: Readonly<Record<string, string>>;
  /** The payload is at a pull spec without a digest. */
  readonly hasTag?: true;
  /** A folder is missing: what is there is no payload. */
  readonly lacks?: 'manifests' | 'release-manifests' | 'release-metadata' | 'image-references';
}

/** What a rest waits for. It is only waited for, as long as the wait may take: nothing is expected. */
export type State =
  /** A condition of the ClusterVersion; with a text that its message has. */
  | { readonly condition: string; readonly is: 'True' | 'False' | 'Unknown' | 'absent'; readonly mentions?: string }
  /** `Completed 4.22.0` is the newest entry. */
  | { readonly history: string }
  | { readonly of: Target; readonly has: string }
  | { readonly of: Target; readonly lacks: string }
  | { readonly of: Target; readonly isAbsent: true };

/** Wait until nothing changes any more, then record everything under the label. */
export interface Rest {
  readonly rest: string;
  readonly until?: State | readonly State[];
  /** The order of levels is recorded: none is written to before the one in front of it is done. */
  readonly isOrdered?: true;
}

/** What a ClusterOperator reports. Conditions that are absent are those of a healthy operator. */
export interface OperatorReport {
  readonly report: string;
  readonly version: string;
  readonly available?: boolean;
  readonly degraded?: boolean;
  readonly progressing?: boolean;
  readonly upgradeable?: boolean;
  /** Versions of operands. */
  readonly versions?: Readonly<Record<string, string>>;
}

/** What the update service answers from now on: a graph, or an HTTP status, or a text. */
export interface GraphAnswer {
  readonly graph: JsonObject | number | string;
}

/** One thing that happens, or a rest. */
export type Action =
  | OperatorReport
  | GraphAnswer
  | Rest
  | { readonly apply: JsonObject }
  | { readonly patch: Target; readonly merge: JsonObject; readonly subresource?: 'status' }
  | { readonly delete: Target }
  /** Of the ClusterVersion; merged. */
  | { readonly spec: JsonObject }
  | { readonly await: State }
  /** The engine is killed, and started from the release of this name. */
  | { readonly restart: string };

/** What happens and what to record. Texts may hold `$image/NAME`, the pull spec of a payload, and `$upstream`, the URL of the update service. */
export interface Scenario {
  /** Unique among all areas. */
  readonly id: string;
  /** A sentence about the situation. It expects nothing. */
  readonly title: string;
  /** Rows of the checklist that it plays. */
  readonly rows?: readonly string[];
  /** The engine starts from the first one. */
  readonly payloads: Readonly<Record<string, Payload>>;
  /** Members of the spec of the ClusterVersion beside `clusterID`. */
  readonly spec?: JsonObject;
  /** The status that the ClusterVersion has at first. */
  readonly status?: JsonObject;
  /** Exist before the engine starts. */
  readonly objects?: readonly JsonObject[];
  readonly featureSet?: string;
  readonly enabledGates?: readonly string[];
  /** False: the ConfigMaps of gates and acknowledgements do not exist. Default: they are empty. */
  readonly hasGates?: boolean;
  /** Every operator reports at once what the release expects of it. */
  readonly hasHealthyOperators?: true;
  readonly actions: readonly Action[];
}

/** What the engine showed at one point of rest. */
export interface Snapshot {
  readonly label: string;
  /** Present where objects were still changing when the time was up: a loop. */
  readonly restless?: true;
  /** What was waited for was not reached. */
  readonly unreached?: true;
  /** In canonical form. */
  readonly clusterVersion: JsonObject;
  /** In canonical form, by `Kind namespace/name`: what changed since the point before; null is what was deleted. */
  readonly objects: Readonly<Record<string, JsonObject | null>>;
  /** Those on the ClusterVersion that are new since the point before: `Type Reason: message`, each once, sorted. */
  readonly events: readonly string[];
  /** What the engine wrote since the point before, in its order, by component and level: `create Kind namespace/name`. */
  readonly writes: Readonly<Record<string, readonly string[]>>;
  /** In the order of the writes, each run of writes to one level once. */
  readonly levels?: readonly string[];
}

/** Everything that one run of a scenario showed. */
export interface Recording {
  readonly title: string;
  readonly snapshots: readonly Snapshot[];
}

/** By the id of the scenario. */
export type Recordings = Readonly<Record<string, Recording>>;

/** Where the payloads of a scenario are. */
export interface PayloadPlace {
  readonly image: string;
  readonly folder: string;
  readonly version: string;
}

/** What an engine is started with. */
export interface EngineStart {
  readonly kubeconfigPath: string;
  /** Is deleted after the scenario. */
  readonly workFolder: string;
  /** What it runs from. */
  readonly release: PayloadPlace;
  readonly payloads: readonly PayloadPlace[];
}

/** A running engine. */
export interface Engine extends AsyncDisposable {
  /** Of a process of its own. */
  readonly pid?: number;
  /** @throws Error when it ended, with the end of its log */
  assertAlive(): Promise<void>;
}

/** Something that behaves as the cluster-version-operator does. */
export interface Implementation {
  /** Of the kinds that it works on: paths of YAML files, or objects. */
  readonly crds: readonly (string | JsonObject)[];
  /** Longer than it takes until what it does next can be seen. */
  readonly quietMs: number;
  /** How long a rest waits for a state. */
  readonly stateLimitMs: number;
  /** Whether a write of this field manager is one of the engine. */
  isManager(manager: string): boolean;
  start(start: EngineStart): Promise<Engine>;
}
