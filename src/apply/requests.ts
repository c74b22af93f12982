import type { Inventory } from './inventory.ts';
import type { Owner } from './ownership.ts';

/** How far the first installation for an owner is. `Creating`: everything that has the owner's labels was created by it. `TakingOver`: some
 *  of it existed before. `Done`: an installation has succeeded, or nobody knows. Nothing is rolled back of what may have existed before. */
export type InstallationProgress = 'NotStarted' | 'Creating' | 'TakingOver' | 'Done';

/** What is to become of objects that are not wanted any more. */
export interface RemovalTerms {
  /** CustomResourceDefinitions go even if objects of theirs exist that were not installed for the owner. */
  readonly mayDeleteCrds: boolean;
  /** Told of each CustomResourceDefinition that stays, and why. */
  readonly onRetained: (why: string) => void;
  /** Another BundleDeployment that has objects in a namespace, or is about to. */
  readonly othersIn: (namespace: string) => string | undefined;
  /** Told of each namespace that was made for an installation and stays, and why. */
  readonly onNamespaceRetained: (why: string) => void;
  readonly signal: AbortSignal;
}

export interface UninstallRequest extends RemovalTerms {
  readonly owner: Owner;
  /** Where the owner's objects may be. */
  readonly inventory: Inventory;
  /** Everything stays, as nobody's. */
  readonly isOrphaned: boolean;
}

/** The first installation that is abandoned, for whom, and where its objects are. */
export interface RollbackRequest extends RemovalTerms {
  readonly owner: Owner;
  readonly recorded: Inventory;
  readonly progress: InstallationProgress;
}
