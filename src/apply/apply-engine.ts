import type { Clock, Logger } from '../base/index.ts';
import type { KubeClient, KubeObject, ObjectRef } from '../kube/index.ts';
import type { CrdSafety } from './crd-preflight.ts';
import type { HealthReport } from './health-reader.ts';
import type { Inventory } from './inventory.ts';
import type { NamespaceMarks } from './namespace.ts';
import type { Owner } from './ownership.ts';
import type { InstallationProgress, RemovalTerms, RollbackRequest, UninstallRequest } from './requests.ts';

/** What is to be installed, for whom and how. */
export interface InstallRequest extends RemovalTerms {
  readonly owner: Owner;
  /** Names what is installed: the same revision always has the same objects. */
  readonly revision: string;
  readonly objects: readonly KubeObject[];
  /** Where earlier installations for this owner may have left objects. */
  readonly recorded: Inventory;
  readonly progress: InstallationProgress;
  /** Records, durably, where objects are and how far the installation is; called before the first write with all that the installation may
   *  touch, before an object that exists is taken over by a first installation, and at the end with what is left. */
  readonly record: (inventory: Inventory, progress: InstallationProgress) => Promise<void>;
  readonly isUpgrade: boolean;
  /** Where namespaced objects go that name no namespace: created if it is missing, and then removed when it is left empty. Default: the
   *  system namespace, which must exist. */
  readonly installNamespace?: string | undefined;
  /** What that namespace gets when it is made. */
  readonly namespaceMarks?: NamespaceMarks | undefined;
  /** Told why that namespace, which is somebody else's, will refuse Pods. */
  readonly onUnfitNamespace?: ((why: string) => void) | undefined;
  /** Objects that exist already may be taken over, unless they belong to another BundleDeployment that exists. */
  readonly mayAdopt?: boolean | undefined;
  readonly crdSafety: CrdSafety;
}

/** What the watches saw. */
export interface ClusterChange {
  /** The deployment whose objects drifted, went, or may have another health; undefined for a change of the served kinds. */
  readonly owner: string | undefined;
  /** Something went or came that others may have waited for. */
  readonly mayUnblock: boolean;
  /** Somebody else changed or removed what is installed. */
  readonly isDrift: boolean;
}

export interface ApplyEngineOptions {
  readonly kube: KubeClient;
  readonly systemNamespace: string;
  /** How long webhooks wait for what serves them. */
  readonly servingDeadlineMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Must only enqueue. */
  readonly onChange: (change: ClusterChange) => void;
}

/** Makes the cluster hold exactly the objects of one revision for each owner. */
export interface ApplyEngine {
  /** Whether `revision` is in place and nothing has drifted from it; false when that is not known. */
  isInPlace(owner: Owner, revision: string): boolean;
  /** Looks at what speaks against the installation, applies everything in order, and removes what the revision does not contain. What this
   *  process wrote before, in the same words, and nobody has touched since is left out.
   *  - An upgrade is tried by dry run first. The first installation for an owner is applied without that, and rolled back when anything
   *    of it is refused; going back to the version before asks about CustomResourceDefinitions only.
   *  - Configurations of webhooks come when the Deployments that serve them are up, or have had their time: until then they count
   *    as drifted, `health` tells of them, and those that they replace stay with everything else that the revision does not contain.
   *    So does a conversion webhook that another one takes over from: the rest of its CustomResourceDefinition does not wait.
   *  - When `revision` is in place and only some objects drifted, only these are applied.
   *  Running it again after any interruption completes it. The answer is what had drifted; empty after an installation.
   *  @throws InstallBlocked, InstallRefused when nothing was changed · errors of single writes */
  install(request: InstallRequest): Promise<readonly ObjectRef[]>;
  /** Deletes what a first installation has created that did not come to its end, whichever process has; what existed before stays, and so do
   *  CustomResourceDefinitions that others have objects of. */
  rollBack(request: RollbackRequest): Promise<void>;
  /** What exists of the owner's objects. */
  presentObjects(owner: Owner, inventory: Inventory, signal: AbortSignal): Promise<readonly ObjectRef[]>;
  /** The revision that was installed last, to its end, though some of it may have drifted; undefined when that is not known. */
  revisionOf(owner: Owner): string | undefined;
  /** Where the objects are that are in place; empty when that is not known. */
  inventoryOf(owner: Owner): Inventory;
  /** How the installed objects are; undefined when nothing is known to be installed. `onChange` reports when to ask again. */
  health(owner: Owner, signal: AbortSignal): Promise<HealthReport | undefined>;
  /** Removes everything that was installed for the owner: objects before the CustomResourceDefinitions that define them,
   *  namespaces last. Objects to be kept, and CustomResourceDefinitions that others have objects of, are let go instead.
   *  @throws WaitingError while objects still exist; their end calls `onChange` */
  uninstall(request: UninstallRequest): Promise<void>;
}
