/** What the pages and the server exchange: types alone. */
export type { Installation, InstallationStep, StatusWord, StepState } from '../../src/installations/contract/index.ts';

/** Who is signed in, and to what. */
export interface SessionInfo {
  readonly user: string;
  readonly groups: readonly string[];
  /** Sent back as a header with every request that changes something. */
  readonly csrf: string;
  readonly server: string;
  /** `longshore up` on this machine: the server may be written to without harm. */
  readonly isEmbedded: boolean;
  readonly version: string;
  /** How the user signed in. */
  readonly signedInBy: SignInMethod;
}

/** `link`: the one-time link of a laptop. */
export type SignInMethod = 'link' | 'token' | 'oidc';

/** What the sign-in page offers. */
export interface SignInInfo {
  readonly methods: readonly SignInMethod[];
  /** Shown beside the button of OpenID Connect. */
  readonly issuer: string;
}

/** `absent`: the server does not serve the kind. */
export type WatchState = 'loading' | 'live' | 'forbidden' | 'failed' | 'absent';

/** A change of one watch, as the stream sends it. */
export interface WatchMessage {
  readonly watch: string;
  readonly state: WatchState;
  /** Why it is not live. */
  readonly message: string;
  /** Rows by their keys. */
  readonly put: Readonly<Record<string, unknown>>;
  readonly removed: readonly string[];
  /** Replaces all rows that were sent before. */
  readonly isWhole: boolean;
}

/** Any answer that is an error. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
  readonly advice?: string;
}

/** The result of a command of the program. */
export interface CommandResult {
  /** What a user types for the same. */
  readonly command: string;
  readonly exitCode: number;
  /** Standard output: parsed where it is JSON. */
  readonly output: unknown;
  /** Standard error. */
  readonly messages: string;
}

/** A row of the list of packages. */
export interface PackageRow {
  readonly name: string;
  readonly namespace: string;
  readonly catalog: string;
  /** Of a CatalogSource; empty for a ClusterCatalog. */
  readonly catalogNamespace: string;
  readonly catalogTitle: string;
  readonly title: string;
  readonly summary: string;
  readonly provider: string;
  readonly keywords: readonly string[];
  readonly apis: readonly string[];
  readonly capability: string;
  readonly categories: readonly string[];
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  readonly version: string;
  readonly installModes: readonly string[];
  readonly isDeprecated: boolean;
  /** Whether it has one, or may have one. */
  readonly hasIcon: boolean;
}

/** The packages of all catalogs. */
export interface PackageList {
  readonly rows: readonly PackageRow[];
  /** Catalogs whose packages are not known; `why` is empty while one is being read. */
  readonly unread: readonly { readonly catalog: string; readonly why: string }[];
}

/** An Event, as pages show it. */
export interface EventRow {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
  readonly time: string;
}

/** A writer of an object, and the fields that it has set. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: string;
  /** `status`, or empty. */
  readonly subresource: string;
  readonly time: string;
  /** `spec.template.spec.containers[name=web].image`, sorted; at most 500. */
  readonly fields: readonly string[];
  /** How many there are. */
  readonly count: number;
}

/** An object with its health, as pages follow it. */
export interface WatchedObject<T> {
  readonly object: T;
  readonly health: { readonly state: string; readonly message: string };
  /** Who has set which fields; of a watch of one object. */
  readonly owners?: readonly FieldOwner[];
}

/** A line of the log of the controllers. */
export interface LogLine {
  readonly time: string;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** What the line states beside that, as `name=value`. */
  readonly facts: string;
  /** The Pod that wrote it; empty for this process. */
  readonly pod: string;
}

/** What the controllers have logged about an installation. */
export interface LogResult {
  readonly lines: readonly LogLine[];
  /** Pods whose log could not be read. */
  readonly unread: readonly { readonly pod: string; readonly why: string }[];
  /** What a user types for the same; empty where there is no such command. */
  readonly command: string;
}
