import type { FieldPath, JsonObject } from '../base/index.ts';
import type { FieldError } from '../schema/index.ts';
import type { BundleFile, BundleUnderCheck } from './bundle.ts';
import type { Severity, Suite } from './finding.ts';

/** In the order in which findings are reported. */
export const stages = ['format', 'loading', 'csv', 'crds', 'bundle', 'content', 'optional'] as const;
/** What a check looks at. */
export type Stage = (typeof stages)[number];

/** Where a finding is. */
export interface Place {
  readonly file: BundleFile | string;
  /** Which document of the file; the first when absent. */
  readonly document?: number;
  readonly path?: FieldPath;
  /** Where the place is known without a path. Counts from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** What a check found. */
export interface Hit {
  readonly message: string;
  readonly place?: Place | undefined;
  /** Instead of the check's own. */
  readonly severity?: Severity;
  /** Instead of the check's own. */
  readonly whatToDo?: string;
}

/** The validation of new objects by a kube-apiserver. */
export interface ApiRules {
  /** Violations of the rules for an object, after defaulting; empty for kinds that it does not know. `unknownFields` would be dropped. */
  validate(object: JsonObject): { readonly errors: readonly FieldError[]; readonly unknownFields: readonly string[] };
  /** Makes the kinds of a definition known; false, and nothing changed, when the definition itself is refused. */
  define(definition: JsonObject): boolean;
}

/** What an image is there for. */
export interface ImagePlatform {
  readonly os: string;
  readonly architecture: string;
}

/** What checks are given beside the bundle. */
export interface CheckContext {
  /** Fresh for every bundle: it learns the bundle's definitions. */
  readonly rules: ApiRules;
  /** The release of Kubernetes that the bundle is validated for: `1.25`. As given; a check reports an invalid version. */
  readonly kubernetesVersion?: string;
  /** Names of categories instead of the standard ones. */
  readonly categories?: readonly string[];
  /** By image, as it is written in the bundle: its platforms, or why they could not be read. For the suite `multiarch`. */
  readonly images?: ReadonlyMap<string, readonly ImagePlatform[] | string>;
}

/** A row of the table of checks. */
export interface Check {
  /** Stable, never used again for something else. */
  readonly id: string;
  readonly suite: Suite;
  readonly stage: Stage;
  /** Of findings that set none. */
  readonly severity: Severity;
  /** When it strikes, for the table in the documentation: `manifests/ is missing`. */
  readonly title: string;
  /** What an author does about it; one sentence. */
  readonly whatToDo: string;
  /** Pure, and never throws whatever the bundle holds. */
  readonly find: (bundle: BundleUnderCheck, context: CheckContext) => Iterable<Hit>;
}
