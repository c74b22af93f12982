/** How bad a finding is: an error keeps the bundle from working or from being published, a warning may. */
export type Severity = 'error' | 'warning' | 'info';

/** Checks that are selected together. */
export type Suite =
  | 'default'
  | 'installation'
  | 'operatorhub'
  | 'community'
  | 'good-practices'
  | 'capabilities'
  | 'categories'
  | 'deprecated-apis'
  | 'objects'
  | 'multiarch'
  | 'charts';

/** A finding of a check about a bundle. */
export interface Finding {
  /** Stable: `CSV12`. */
  readonly id: string;
  readonly severity: Severity;
  readonly suite: Suite;
  /** One line, in the words of the established tools where they have the check. */
  readonly message: string;
  /** Path in the bundle: `manifests/tide.yaml`. */
  readonly file?: string;
  /** Counts from 1. */
  readonly line?: number;
  /** Counts from 1. */
  readonly column?: number;
  /** `spec.install.spec.deployments[0].name`, from the root of its document. */
  readonly fieldPath?: string;
  readonly whatToDo: string;
}
