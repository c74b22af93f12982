import type { Inventory } from './inventory.ts';
import type { Owner } from './ownership.ts';

/** How far the first installation for an owner is. `Creating`: everything that has the owner's labels was created by it. `TakingOver`: some
 *  of it existed before. `Done`: an installation has succeeded, or that is unknown. Objects that may have existed before are not rolled back. */
export type InstallationProgress = 'NotStarted' | 'Creating' | 'TakingOver' | 'Done';

/** What an installation has left at its end. */
export interface InstallationEnd {
  /** For `recall`; undefined as long as not all is in place. */
  readonly stateDigest: string | undefined;
}

/** What becomes of obsolete objects. */
export interface RemovalTerms {
  /** CustomResourceDefinitions go even if objects of theirs exist that were not installed for the owner. */
  readonly mayDeleteCrds: boolean;
  /** Called for each CustomResourceDefinition that is retained, with the reason. */
  readonly onRetained: (why: string) => void;
  /** Another BundleDeployment that has objects in a namespace, or is about to. */
  readonly othersIn: (namespace: string) => string | undefined;
  /** Called for each namespace that was created for an installation and is retained, with the reason. */
  readonly onNamespaceRetained: (why: string) => void;
  readonly signal: AbortSignal;
}

export interface UninstallRequest extends RemovalTerms {
  readonly owner: Owner;
  /** Where the owner's objects may be. */
  readonly inventory: Inventory;
  /** All objects are retained without an owner. */
  readonly isOrphaned: boolean;
}

/** The first installation that is abandoned, for whom, and where its objects are. */
export interface RollbackRequest extends RemovalTerms {
  readonly owner: Owner;
  readonly recorded: Inventory;
  readonly progress: InstallationProgress;
}
