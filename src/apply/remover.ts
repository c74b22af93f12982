import { mapLimit, WaitingError } from '../base/index.ts';
import {
  describeRef,
  findObject,
  isConflict,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  type ObjectRef,
  refKey,
} from '../kube/index.ts';
import { clientFor } from './account.ts';
import { whyRetainCrd } from './crd-guard.ts';
import { assertShown } from './hidden-kinds.ts';
import { listInstalled } from './installed.ts';
import { adoptionKey, type Inventory, inventoryOf, isWithin } from './inventory.ts';
import { isCrd, isNamespace } from './kind-list.ts';
import { type InstalledObject, installedObject, type KindWatches } from './kind-watches.ts';
import type { Ledger } from './ledger.ts';
import { installBatches } from './order.ts';
import { belongsTo, type Owner } from './ownership.ts';
import { assertPermissions, needsOfRemoval } from './permissions/index.ts';
import { releaseObject } from './release.ts';
import type { InstallationProgress, RemovalTerms, RollbackRequest, UninstallRequest } from './requests.ts';
import type { UnansweredWrites } from './unanswered-writes.ts';
import { whyRetainNamespace } from './vacated-namespaces.ts';

/** What becomes of objects that a former BundleDeployment has left. */
interface FormerTerms {
  /** Called with what they are. */
  readonly onFormer?: ((message: string) => void) | undefined;
  readonly signal: AbortSignal;
}

interface RemoverDeps {
  readonly kube: KubeClient;
  readonly watches: KindWatches;
  readonly ledger: Ledger;
  readonly unanswered: UnansweredWrites;
}

/** What is recorded of an installation before its end. */
interface Begun {
  readonly recorded: Inventory;
  readonly progress: InstallationProgress;
}

/** Which objects to look for. */
interface Search {
  readonly owner: Owner;
  readonly recorded: Inventory;
  /** Keys of objects that are left out where only this process knows of them. */
  readonly keep?: ReadonlySet<string>;
}

const parallelWrites = 8;
const recheckMs = 30_000;
const maxNamed = 10;
/** At a time, as each costs a list of every kind: a removal of very many makes room for other deployments in between. */
const maxExaminedNamespaces = 2;
const laterMs = 10;

function namesOf(objects: readonly InstalledObject[]): string {
  const names = objects.slice(0, maxNamed).map(({ ref }) => describeRef(ref));
  const more = objects.length > names.length ? ` and ${objects.length - names.length} more` : '';
  return `${names.join(', ')}${more}`;
}

function formerText(objects: readonly InstalledObject[], { name }: Owner): string {
  const advice = 'Delete what is no longer needed, or add it to the bundle';
  return `Left by a former BundleDeployment "${name}", not in the bundle, and retained without an owner: ${namesOf(objects)}. ${advice}`;
}

function adoptedText(objects: readonly InstalledObject[]): string {
  const advice = 'Delete what is no longer needed, or add it to the bundle';
  return `Taken over by an installation that was not completed, not in the bundle, and retained without an owner: ${namesOf(objects)}. ${advice}`;
}

function keysOf(objects: readonly InstalledObject[]): readonly string[] {
  return objects.map(({ ref }) => refKey(ref));
}

/** Last installed, first removed: objects before the CustomResourceDefinitions that define them, namespaces last. */
function removalBatches(objects: readonly InstalledObject[]): readonly (readonly InstalledObject[])[] {
  const batches = installBatches(objects.map((object) => ({ kind: object.ref.kind, object })));
  return batches.toReversed().map((batch) => batch.map(({ object }) => object));
}

/** Takes objects away, or lets them go where they are not to be deleted. */
export class Remover {
  readonly #deps: RemoverDeps;
  /** Uid of an owner → uids of what the last rollback deleted, which the watches may show for a while. */
  readonly #rolledBack = new Map<string, ReadonlySet<string>>();

  constructor(deps: RemoverDeps) {
    this.#deps = deps;
  }

  /** Before `touched` is recorded: whether any object there, and not at a recorded place, has the labels of `owner`, regardless of who set them. A former
   *  BundleDeployment of that name may have left it. What is not among `keep` is released, as a later version would remove it. */
  async releaseFormer(touched: Inventory, search: Required<Search>, terms: FormerTerms): Promise<boolean> {
    const { owner, recorded, keep } = search;
    const labelled = this.#deps.watches
      .ownedBy(owner.name)
      .filter(({ ref }) => isWithin(touched, ref) && !isWithin(recorded, ref));
    const former = labelled.filter(
      ({ ref, isInstalled, isDeleting }) => isInstalled && !isDeleting && !keep.has(refKey(ref)),
    );
    await this.#releasePermitted(owner, former, terms.signal);
    if (former.length > 0) terms.onFormer?.(formerText(former, owner));
    return labelled.length > 0;
  }

  /** The objects of `owner`: what the watches show at the recorded places, and what this process applied and they may not have shown yet. An object
   *  elsewhere that has the labels was given them by someone else. */
  objectsOf(owner: Owner, recorded: Inventory): readonly InstalledObject[] {
    const { ledger, watches } = this.#deps;
    const known = new Map(ledger.objectsOf(owner).map((object) => [refKey(object.ref), object]));
    for (const object of watches.ownedBy(owner.name)) {
      const key = refKey(object.ref);
      if (known.has(key) || (object.isInstalled && isWithin(recorded, object.ref))) known.set(key, object);
    }
    return [...known.values()];
  }

  /** Takes away what `owner` has at the recorded places beside the objects of `keep`; does not wait for their end. Returns the keys of what is no
   *  longer the owner's. What existed before, and no version had to its end, is released. */
  async prune(
    owner: Owner,
    keep: ReadonlySet<string>,
    terms: RemovalTerms & FormerTerms & Begun,
  ): Promise<ReadonlySet<string>> {
    const installed = await this.#installed({ owner, recorded: terms.recorded, keep }, terms.signal);
    const removed = installed.filter(({ ref }) => !keep.has(refKey(ref)));
    const former = this.#formerOf(owner, removed, terms);
    await this.#release(owner, former, terms.signal);
    if (former.length > 0) terms.onFormer?.(adoptedText(former));
    const isFormer = new Set(former);
    const obsolete = removed.filter((object) => !isFormer.has(object));
    const released = await this.#releaseWhatStays(owner, obsolete, terms);
    for (const batch of removalBatches(obsolete.filter(({ ref }) => !released.has(refKey(ref))))) {
      const { now, later } = examinedTogether(batch);
      await this.#deleteBatch(owner, now, terms);
      if (later.length === 0) continue;
      throw new WaitingError('Pruning', `waiting for deletion of ${namesOf(later)}`, { afterMs: laterMs });
    }
    this.#deps.ledger.release(owner, keep);
    return new Set(keysOf(removed));
  }

  /** Those that existed before an installation that was given up began to take them over, or may have: no version has ever had them. Where it is a first
   *  one, only what this process has created is known to be of it. */
  #formerOf(owner: Owner, objects: readonly InstalledObject[], { recorded, progress }: Begun): InstalledObject[] {
    const { ledger } = this.#deps;
    const [adopted, adopting] = [ledger.adoptedBy(owner), new Set(recorded.adopting)];
    const isUnknown = (object: InstalledObject): boolean =>
      progress === 'TakingOver' && !ledger.hasCreated(owner, object);
    return objects.filter(
      (object) => adopted.has(refKey(object.ref)) || adopting.has(adoptionKey(object.ref)) || isUnknown(object),
    );
  }

  /** Takes away everything, or lets it go.
   *  @throws WaitingError while objects still exist · TransientError KindHidden */
  async uninstall(request: UninstallRequest): Promise<void> {
    const { owner, signal, inventory } = request;
    const { kube, watches, ledger } = this.#deps;
    if (request.isOrphaned) await assertShown({ kube, signal }, inventory.kinds);
    await watches.ensureServed(inventory.kinds, signal);
    const installed = await this.#installed({ owner, recorded: inventory }, signal);
    const context = { platform: this.#deps.kube, owner, signal };
    await assertPermissions(context, (surroundings) => needsOfRemoval(surroundings, installed));
    if (request.isOrphaned) await this.#release(owner, installed, signal);
    else await this.#removeAll(request, installed);
    this.#awaitAnswers(owner);
    ledger.forget(owner);
    ledger.release(owner);
    this.#rolledBack.delete(owner.uid);
  }

  /** Deletes what a first installation has created. Where some of the owner's objects existed before it, only what this process has created
   *  is known to be of it. */
  async rollBack(request: RollbackRequest): Promise<void> {
    const { owner, signal, recorded, progress } = request;
    const { watches, ledger } = this.#deps;
    await watches.ensureServed(recorded.kinds, signal);
    const adopted = ledger.adoptedBy(owner);
    // For other places it is unknown whether anything existed before.
    const isKnown = ({ ref }: InstalledObject): boolean => isWithin(recorded, ref) && !adopted.has(refKey(ref));
    const installed = (await this.#installed({ owner, recorded, keep: adopted }, signal)).filter(isKnown);
    const isCreated = (object: InstalledObject): boolean => progress === 'Creating' || ledger.hasCreated(owner, object);
    const created = installed.filter(isCreated);
    const released = await this.#releaseUsedCrds(owner, created.filter(isStandingCrd), request);
    const kept = new Set(keysOf(released));
    const doomed = created.filter(({ ref }) => !kept.has(refKey(ref)));
    for (const batch of removalBatches(doomed)) await this.#deleteBatch(owner, batch, request);
    this.#rolledBack.set(owner.uid, new Set(doomed.map(({ uid }) => uid)));
    ledger.release(owner, adopted);
  }

  /** What exists of the owner's objects. */
  async present(owner: Owner, inventory: Inventory, signal: AbortSignal): Promise<readonly ObjectRef[]> {
    await this.#deps.watches.ensureServed(inventory.kinds, signal);
    const installed = await this.#installed({ owner, recorded: inventory }, signal);
    const deleted = this.#rolledBack.get(owner.uid);
    return installed.filter(({ isDeleting, uid }) => !isDeleting && deleted?.has(uid) !== true).map(({ ref }) => ref);
  }

  /** Whether any of the objects that were installed with a reference to `owner`, and stand, has it no more: of all others someone who may write them may have
   *  restored it. They are read: watches may lag. */
  async isDisowned(owner: Owner, inventory: Inventory, signal: AbortSignal): Promise<boolean> {
    const { kube, watches } = this.#deps;
    await watches.ensureServed(inventory.kinds, signal);
    const standing = (await this.#installed({ owner, recorded: inventory }, signal)).filter(isReferring);
    if (standing.length === 0) return false;
    const listed = await listInstalled({ kube, signal }, owner.name, inventoryOf(standing.map(({ ref }) => ref)));
    const dependents = listed.filter((object) => isReferring(installedObject(object)));
    const hasOwner = ({ metadata: { ownerReferences = [] } }: KubeObject): boolean =>
      ownerReferences.some(({ uid }) => uid === owner.uid);
    return !dependents.every(hasOwner);
  }

  /** What is installed. Objects that this process wrote, except those of `keep`, and that no watch has shown since, may exist or
   *  not: a write without an answer, or a watch that lags. Their kinds are listed again. What another process wrote existed
   *  before this one began to watch. */
  async #installed({ owner, recorded, keep }: Search, signal: AbortSignal): Promise<readonly InstalledObject[]> {
    const { kube, ledger } = this.#deps;
    const known = this.objectsOf(owner, recorded).filter((object) => object.isInstalled);
    const shown = new Set(keysOf(known));
    const unseen = ledger.claimsOf(owner).filter((ref) => !shown.has(refKey(ref)) && keep?.has(refKey(ref)) !== true);
    if (unseen.length === 0) return known;
    const listed = await listInstalled({ kube, signal }, owner.name, inventoryOf(unseen));
    return [...known, ...listed.map((object) => installedObject(object)).filter(({ ref }) => !shown.has(refKey(ref)))];
  }

  async #removeAll(request: UninstallRequest, installed: readonly InstalledObject[]): Promise<void> {
    const { owner } = request;
    const released = await this.#releaseWhatStays(owner, installed, request);
    for (const batch of removalBatches(installed.filter(({ ref }) => !released.has(refKey(ref))))) {
      const { now, later } = examinedTogether(batch);
      const left = await this.#deleteBatch(owner, now, request);
      if (left.length + later.length === 0) continue;
      const message = `waiting for deletion of ${namesOf([...left, ...later])}`;
      throw new WaitingError('Removing', message, { afterMs: later.length > 0 ? laterMs : recheckMs });
    }
  }

  /** What an API server may still create, or give back to the owner, is looked for again.
   *  @throws WaitingError */
  #awaitAnswers(owner: Owner): void {
    const pending = this.#deps.unanswered.pendingOf(owner);
    if (pending === undefined) return;
    const names = pending.refs.slice(0, maxNamed).map(describeRef).join(', ');
    const message = `waiting for a minute: the API server did not answer the write of ${names}, and may still execute it`;
    throw new WaitingError('Removing', message, { afterMs: Math.min(pending.forMs, recheckMs) });
  }

  /** Releases what is never deleted: objects to be retained, and CustomResourceDefinitions with objects of others. */
  async #releaseWhatStays(
    owner: Owner,
    objects: readonly InstalledObject[],
    terms: RemovalTerms,
  ): Promise<ReadonlySet<string>> {
    const kept = objects.filter(({ isRetained }) => isRetained);
    const crds = objects.filter(({ ref, isRetained }) => isCrd(ref) && !isRetained);
    await this.#release(owner, kept, terms.signal);
    const used = await this.#releaseUsedCrds(owner, crds, terms);
    return new Set(keysOf([...kept, ...used]));
  }

  async #releaseUsedCrds(
    owner: Owner,
    crds: readonly InstalledObject[],
    terms: RemovalTerms,
  ): Promise<readonly InstalledObject[]> {
    if (terms.mayDeleteCrds) return [];
    const { signal } = terms;
    const used = await mapLimit(crds, parallelWrites, async (crd) => {
      const why = await whyRetainCrd(clientFor(this.#deps.kube, owner), crd.ref.name, { owner, signal });
      if (why === undefined) return undefined;
      await this.#release(owner, [crd], signal);
      terms.onRetained(why);
      return crd;
    });
    return used.filter((crd) => crd !== undefined);
  }

  /** Releases Namespaces in which others have objects, which would be deleted with them. */
  async #releaseUsedNamespaces(
    owner: Owner,
    namespaces: readonly InstalledObject[],
    terms: RemovalTerms,
  ): Promise<readonly InstalledObject[]> {
    const used: InstalledObject[] = [];
    for (const namespace of namespaces) {
      const why = await whyRetainNamespace(this.#deps.kube, namespace.ref, { ...terms, owner });
      if (why === undefined) continue;
      await this.#release(owner, [namespace], terms.signal);
      terms.onNamespaceRetained(why);
      used.push(namespace);
    }
    return used;
  }

  /** Releases what the owner's account may change. */
  async #releasePermitted(owner: Owner, objects: readonly InstalledObject[], signal: AbortSignal): Promise<void> {
    for (const object of objects) {
      await this.#release(owner, [object], signal).catch((thrown: unknown) => {
        if (!isForbidden(thrown)) throw thrown;
      });
    }
  }

  async #release(owner: Owner, objects: readonly InstalledObject[], signal: AbortSignal): Promise<void> {
    const kube = clientFor(this.#deps.kube, owner);
    await mapLimit(objects, parallelWrites, ({ ref }) => releaseObject(kube, ref, { owner, signal }));
    this.#deps.ledger.drop(owner, keysOf(objects));
    this.#deps.unanswered.release(owner, keysOf(objects));
  }

  /** Returns those that still exist afterwards. Objects may have been created since the CustomResourceDefinitions were checked. */
  async #deleteBatch(
    owner: Owner,
    batch: readonly InstalledObject[],
    terms: RemovalTerms,
  ): Promise<readonly InstalledObject[]> {
    const crds = await this.#releaseUsedCrds(owner, batch.filter(isStandingCrd), terms);
    const namespaces = await this.#releaseUsedNamespaces(owner, batch.filter(isStandingNamespace), terms);
    const used = new Set([...crds, ...namespaces]);
    const doomed = batch.filter((object) => !used.has(object));
    const left = await this.#deleteAll(owner, doomed, terms.signal);
    const isLeft = new Set(left);
    this.#deps.ledger.drop(owner, keysOf(doomed.filter((object) => !isLeft.has(object))));
    return left;
  }

  async #deleteAll(
    owner: Owner,
    objects: readonly InstalledObject[],
    signal: AbortSignal,
  ): Promise<readonly InstalledObject[]> {
    const kube = clientFor(this.#deps.kube, owner);
    const left = await mapLimit(objects, parallelWrites, async (object) => {
      return object.isDeleting || (await deleteOne(object, { kube, owner, signal })) ? object : undefined;
    });
    return left.filter((object) => object !== undefined);
  }
}

interface Deletion {
  readonly kube: KubeClient;
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

/** Whether another client has created an object in the place of the installed one. */
async function isReplaced(thrown: unknown, { ref, uid }: InstalledObject, deletion: Deletion): Promise<boolean> {
  if (!isConflict(thrown)) return false;
  const { kube, owner, signal } = deletion;
  const live = await findObject(kube, ref, { signal });
  return live !== undefined && live.metadata.uid !== uid && !belongsTo(live.metadata, owner.name);
}

/** Whether the object still exists afterwards. Another one in its place stays. */
async function deleteOne(object: InstalledObject, deletion: Deletion): Promise<boolean> {
  const { ref, uid } = object;
  try {
    const rest = await deletion.kube.delete(ref, { uid, signal: deletion.signal });
    return ref.kind === 'Namespace' || (rest?.metadata.finalizers?.length ?? 0) > 0;
  } catch (thrown) {
    if (isNotFound(thrown) || thrown instanceof NoKindMatch) return false;
    if (await isReplaced(thrown, object, deletion)) return false;
    throw thrown;
  }
}

/** Whether the object was installed with a reference to its owner, and is not being deleted. */
function isReferring({ ref, isRetained, isDeleting }: InstalledObject): boolean {
  return !isDeleting && !isRetained && !isCrd(ref) && !isNamespace(ref);
}

function isStandingNamespace({ ref, isDeleting }: InstalledObject): boolean {
  return isNamespace(ref) && !isDeleting;
}

/** What of a batch is deleted now, with as many Namespaces as are examined at a time, and those that are left for later. */
function examinedTogether(batch: readonly InstalledObject[]): {
  readonly now: readonly InstalledObject[];
  readonly later: readonly InstalledObject[];
} {
  const later = new Set(batch.filter(isStandingNamespace).slice(maxExaminedNamespaces));
  return { now: batch.filter((object) => !later.has(object)), later: [...later] };
}

function isStandingCrd({ ref, isDeleting }: InstalledObject): boolean {
  return isCrd(ref) && !isDeleting;
}
