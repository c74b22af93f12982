/** How an installation is. A word has one color and one icon wherever it is shown.
 *  @see docs/spec/console.md#text */
export type StatusWord =
  | 'Healthy'
  | 'Progressing'
  | 'Waiting'
  | 'Degraded'
  | 'Failed'
  | 'Paused'
  | 'Deleting'
  | 'Unknown';

/** `idle`: has not begun, because an earlier step is not done. */
export type StepState = 'done' | 'running' | 'waiting' | 'failed' | 'idle';

/** A step on the way to a healthy installation. */
export interface InstallationStep {
  readonly title: string;
  readonly state: StepState;
  /** Of the condition; empty where there is none. */
  readonly reason: string;
  readonly text: string;
  /** RFC 3339; empty where it is not known. */
  readonly since: string;
  /** What the user can do. */
  readonly advice: readonly string[];
}

/** Anything that is installed, whatever installs it. */
export interface Installation {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for objects of the cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** What kind of content it is: `Bundle`, `Chart`, `Operator`. */
  readonly type: string;
  readonly version: string;
  /** A newer version that can be had; empty where none is known. */
  readonly available: string;
  readonly source: string;
  readonly createdAt: string;
  readonly status: StatusWord;
  /** In one line: why the status is what it is. Empty where all is well. */
  readonly message: string;
  /** Whether it waits for a user. */
  readonly needsUser: boolean;
  /** What the user can do, the first is the most likely. */
  readonly advice: readonly string[];
  readonly steps: readonly InstallationStep[];
  /** The InstallPlan that waits for approval; empty where none does. */
  readonly pendingPlan: string;
  /** Names of the bundles that the pending plan installs. */
  readonly pendingBundles: readonly string[];
}
