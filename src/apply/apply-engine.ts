import type { Clock, Logger } from '../base/index.ts';
import type { KubeClient, KubeObject, ObjectRef } from '../kube/index.ts';
import type { CrdSafety } from './crd-preflight.ts';
import type { HealthReport } from './health-reader.ts';
import type { Inventory } from './inventory.ts';
import type { NamespaceMarks } from './namespace.ts';
import type { Owner } from './ownership.ts';
import type { RecallRequest } from './recall.ts';
import type {
  InstallationEnd,
  InstallationProgress,
  RemovalTerms,
  RollbackRequest,
  UninstallRequest,
} from './requests.ts';

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
   *  touch, before an object that exists is taken over by a first installation, and at the end with what is left. Only the
   *  end need not be durable at once. */
  readonly record: (inventory: Inventory, progress: InstallationProgress, end?: InstallationEnd) => Promise<void>;
  readonly isUpgrade: boolean;
  /** Where namespaced objects go that name no namespace: created if it is missing, and then removed when it is left empty. Default: the
   *  system namespace, which must exist. */
  readonly installNamespace?: string | undefined;
  /** What that namespace gets when it is made. */
  readonly namespaceMarks?: NamespaceMarks | undefined;
  /** Called with the reason why that namespace, which has another owner, will reject Pods. */
  readonly onUnfitNamespace?: ((why: string) => void) | undefined;
  /** Called with what a former BundleDeployment of that name has left, is not in the bundle, and stays. */
  readonly onFormer?: ((message: string) => void) | undefined;
  /** Objects that exist already may be taken over, unless they belong to another BundleDeployment that exists. */
  readonly mayAdopt?: boolean | undefined;
  readonly crdSafety: CrdSafety;
  /** Called when nothing stands against the installation, the namespace is there, and before the first object is written; what it throws ends the
   *  installation. */
  readonly beforeObjects?: (() => Promise<void>) | undefined;
}

/** A change that the watches reported. */
export interface ClusterChange {
  /** The deployment whose objects drifted, were deleted, or may have another health; undefined for a change of the served kinds. */
  readonly owner: string | undefined;
  /** An object was created or deleted that other deployments may wait for. */
  readonly mayUnblock: boolean;
  /** Another client changed or deleted an installed object. */
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
  /** Whether what an earlier process has installed is in place, by the digest that it recorded; where nothing is known of the owner yet. Sends one list for
   *  each kind that is not watched yet, and no request for any object. */
  recall(request: RecallRequest): Promise<boolean>;
  /** Looks at what speaks against the installation, applies everything in order, and removes what the revision does not contain. What this
   *  process wrote before, identically, and that has not changed since, is skipped.
   *  - An upgrade is tried by dry run first. The first installation for an owner is applied without that, and rolled back when anything
   *    of it is refused; a rollback to the previous version checks CustomResourceDefinitions only.
   *  - Webhook configurations are applied when the Deployments that serve them are available, or after a deadline: until then they count
   *    as drifted, `health` reports them, and those that they replace stay with everything else that the revision does not contain.
   *    So does a conversion webhook that another one takes over from: the rest of its CustomResourceDefinition does not wait.
   *  - When `revision` is in place and only some objects drifted, only these are applied.
   *  Running it again after any interruption completes it. The answer is what had drifted; empty after an installation.
   *  @throws InstallBlocked, InstallRefused when nothing was changed · errors of single writes · WaitingError Pruning while obsolete namespaces are
   *  left to examine, of which there are a few at a time */
  install(request: InstallRequest): Promise<readonly ObjectRef[]>;
  /** Deletes what an incomplete first installation has created, in any process; what existed before stays, and so do
   *  CustomResourceDefinitions that others have objects of. */
  rollBack(request: RollbackRequest): Promise<void>;
  /** What exists of the owner's objects. */
  presentObjects(owner: Owner, inventory: Inventory, signal: AbortSignal): Promise<readonly ObjectRef[]>;
  /** Whether none of the owner's objects refers to it any more, though some could: the garbage collector has orphaned them. */
  isDisowned(owner: Owner, inventory: Inventory, signal: AbortSignal): Promise<boolean>;
  /** The revision that was installed last, to its end, though some of it may have drifted; undefined when that is not known. */
  revisionOf(owner: Owner): string | undefined;
  /** Where the objects are that are in place; empty when that is not known. */
  inventoryOf(owner: Owner): Inventory;
  /** How the installed objects are; undefined when nothing is known to be installed. `onChange` reports when to ask again. */
  health(owner: Owner, signal: AbortSignal): Promise<HealthReport | undefined>;
  /** Removes everything that was installed for the owner: objects before the CustomResourceDefinitions that define them,
   *  namespaces last. Objects to be retained, and CustomResourceDefinitions with objects of others, are released instead.
   *  @throws WaitingError while objects still exist; their end calls `onChange` */
  uninstall(request: UninstallRequest): Promise<void>;
}
