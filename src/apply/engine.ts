import { steadyClock } from '../base/index.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../kube/index.ts';
import { clientFor } from './account.ts';
import type { ApplyEngine, ApplyEngineOptions, InstallRequest } from './apply-engine.ts';
import { type CheckContext, checkAll, checkInstallation } from './check.ts';
import { type CrdWatch, watchCrds } from './crds.ts';
import { HealthReader, type HealthReport, mayHaveChangedHealth } from './health-reader.ts';
import { HeldBack } from './held-back.ts';
import { type Inventory, inventoryOf, mergeInventories, withNamespace } from './inventory.ts';
import { isCrd, isNamespace } from './kind-list.ts';
import { type InstalledChange, type InstalledObject, KindWatches, keyOf } from './kind-watches.ts';
import { Ledger } from './ledger.ts';
import { ensureNamespace } from './namespace.ts';
import { assertUnopposed, missingPermissions } from './opposition.ts';
import { installBatches } from './order.ts';
import type { Owner } from './ownership.ts';
import { assertPermissions, needsOfInstallation } from './permissions/index.ts';
import { draftPlan, type Plan, type PlanContext, placeDeferred } from './plan.ts';
import { type Problem, throwProblems } from './problems.ts';
import { type RecallRequest, recallInstallation, stateDigestOf } from './recall.ts';
import { Remover } from './remover.ts';
import type { InstallationEnd, InstallationProgress, RollbackRequest, UninstallRequest } from './requests.ts';
import { isReplaced, type ServingContext, withLiveConversion } from './serving.ts';
import { type Begun, recordingTakeovers } from './takeovers.ts';
import { UnansweredWrites } from './unanswered-writes.ts';
import { disownNamespaces, leaveNamespaces, vacatedBetween } from './vacated-namespaces.ts';
import { isTrouble, writeChecked, writeUnchecked } from './writer.ts';

type Check = CheckContext & PlanContext;

/** A plan without what stands already as it is to be. */
interface Work extends Plan {
  readonly standing: readonly InstalledObject[];
  /** Of the whole plan. */
  readonly all: readonly KubeObject[];
}

class Engine implements ApplyEngine {
  readonly #options: ApplyEngineOptions;
  readonly #ledger = new Ledger((ref) => this.#watches.get(ref));
  readonly #unanswered = new UnansweredWrites(steadyClock);
  readonly #watches: KindWatches;
  readonly #crds: CrdWatch;
  readonly #health: HealthReader;
  readonly #remover: Remover;
  /** Uids of owners that still have objects which their revision does not contain. */
  readonly #unpruned = new Set<string>();
  readonly #held: HeldBack;

  constructor(options: ApplyEngineOptions) {
    this.#options = options;
    this.#health = new HealthReader(options);
    this.#held = new HeldBack(options.servingDeadlineMs);
    this.#watches = new KindWatches({
      ...options,
      onChange: (change) => this.#observe(change),
      onListed: (kind) => this.#requeue(this.#ledger.objectsOfKind(kind)),
      remembered: (object) => this.#ledger.written(object),
    });
    const { kube } = options;
    this.#remover = new Remover({ kube, watches: this.#watches, ledger: this.#ledger, unanswered: this.#unanswered });
    this.#crds = watchCrds({
      ...options,
      onChange: () => options.onChange({ owner: undefined, mayUnblock: true, isDrift: false }),
    });
  }

  isInPlace(owner: Owner, revision: string): boolean {
    return this.#ledger.drifted(owner, revision)?.size === 0 && !this.#unpruned.has(owner.uid);
  }

  revisionOf(owner: Owner): string | undefined {
    return this.#ledger.revisionOf(owner);
  }

  inventoryOf(owner: Owner): Inventory {
    return inventoryOf(this.#ledger.objectsOf(owner).map(({ ref }) => ref));
  }

  async recall(request: RecallRequest): Promise<boolean> {
    if (this.#ledger.knows(request.owner)) return false;
    return await recallInstallation({ watches: this.#watches, ledger: this.#ledger }, request);
  }

  async install(request: InstallRequest): Promise<readonly ObjectRef[]> {
    const { owner, signal } = request;
    const check = this.#checkOf(request);
    const plan = await draftPlan(check, request.objects);
    const drifted = this.#ledger.drifted(owner, request.revision);
    if (drifted !== undefined && plan.deferred.length === 0) {
      throwProblems(plan.problems);
      await this.#assertPermissions(request, plan);
      await this.#ensureNamespace(request);
      const again = plan.objects.filter((object) => drifted.has(keyOf(object)));
      const repaired = await this.#correct(check, again, plan.objects);
      if (this.#unpruned.has(owner.uid))
        await this.#recordLeft(request, await this.#prune(request, plan.objects.map(keyOf)));
      else await request.record(request.recorded, 'Done', this.#endOf(owner));
      return repaired;
    }
    await this.#watches.ensure(plan.kinds);
    await this.#watches.ensureServed(request.recorded.kinds, signal);
    const work = this.#divide(owner, plan);
    const missing = await missingPermissions(() => this.#assertPermissions(request, plan));
    await assertUnopposed({ ...plan, missing }, check, { objects: work.objects, all: request.objects });
    const problems = await checkInstallation(check, work.objects, request);
    if (!problems.every(isTrouble)) await this.rollBack(request);
    throwProblems(problems);
    const begun = await this.#begin(request, plan);
    await this.#ensureNamespace(request);
    await request.beforeObjects?.();
    this.#ledger.claim(plan.objects, owner);
    this.#ledger.forget(owner);
    this.#held.release(owner);
    const applied = await this.#applyPlan(work, { ...check, onTakeover: begun.onTakeover }, begun);
    const removed = await this.#prune(request, [...applied.map(keyOf), ...work.standing.map(({ ref }) => refKey(ref))]);
    this.#ledger.record(owner, request.revision, { applied, standing: work.standing });
    this.#ledger.miss(owner, [...this.#held.keysOf(owner)]);
    await this.#recordLeft(request, removed);
    this.#requeue(this.#ledger.objectsOf(owner));
    return [];
  }

  /** Records what the installation may touch, before it does. What has the owner's labels there already, is not of a first one. */
  async #begin(request: InstallRequest, plan: Plan): Promise<Begun> {
    const { owner, recorded } = request;
    const touched = this.#touched(owner, plan, request);
    const isFirst = request.progress === 'NotStarted' || request.progress === 'Creating';
    const search = { owner, recorded, keep: new Set(plan.objects.map(keyOf)) };
    const atFirst = (await this.#remover.releaseFormer(touched, search, request)) ? 'TakingOver' : 'Creating';
    const progress: InstallationProgress = isFirst ? atFirst : request.progress;
    await request.record(touched, progress);
    return recordingTakeovers({ ...request, recorded: mergeInventories([recorded, touched]), progress });
  }

  /** Takes away what is not among `keys`, unless new webhooks wait still: those that they replace stay till then, with what
   *  answers them, as conversions do. Returns the keys of what is no longer the owner's. */
  async #prune(request: InstallRequest, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const { owner } = request;
    const held = this.#held.keysOf(owner);
    const keep = new Set([...keys, ...held]);
    this.#unpruned.delete(owner.uid);
    const isConverting = this.#held.of(owner).some(({ ref }) => isCrd(ref));
    const present = this.#remover.objectsOf(owner, request.recorded);
    const isReplacing = held.size > 0 && present.some(({ ref }) => isReplaced(ref, keep));
    if (!isConverting && !isReplacing) {
      return await this.#remover.prune(owner, keep, request);
    }
    this.#unpruned.add(owner.uid);
    return new Set();
  }

  /** Writes down where objects are now, and leaves the namespaces where none is any more. */
  async #recordLeft(request: InstallRequest, removed: ReadonlySet<string>): Promise<void> {
    const { owner, recorded, installNamespace } = request;
    const left = this.#remover.objectsOf(owner, recorded).filter(({ ref }) => !removed.has(refKey(ref)));
    const places = [...left, ...this.#held.of(owner)].map(({ ref }) => ref);
    // Those of an earlier upgrade are obsolete still, and are not to be deleted then either.
    const adopting = this.#unpruned.has(owner.uid) ? recorded.adopting : undefined;
    const inventory = { ...withNamespace(inventoryOf(places), installNamespace), ...(adopting && { adopting }) };
    await leaveNamespaces(this.#options.kube, vacatedBetween(recorded, inventory), request);
    await request.record(inventory, 'Done', this.#endOf(owner));
  }

  #endOf(owner: Owner): InstallationEnd {
    const isWaiting = this.#unpruned.has(owner.uid) || this.#held.of(owner).length > 0;
    return { stateDigest: isWaiting ? undefined : stateDigestOf(this.#ledger.objectsOf(owner)) };
  }

  #checkOf(request: InstallRequest): Check {
    const { owner, installNamespace, signal } = request;
    const { kube, systemNamespace } = this.#options;
    return {
      kube: clientFor(kube, owner),
      platform: kube,
      owner,
      systemNamespace,
      defaultNamespace: installNamespace ?? systemNamespace,
      isRetained: (ref) => this.#watches.get(ref)?.isRetained === true,
      isUpgrade: request.isUpgrade,
      mayAdopt: request.mayAdopt === true,
      installNamespace,
      watches: this.#watches,
      ledger: this.#ledger,
      unanswered: this.#unanswered,
      crds: this.#crds,
      crdSafety: request.crdSafety,
      signal,
    };
  }

  async health(owner: Owner, signal: AbortSignal): Promise<HealthReport | undefined> {
    if (!this.#ledger.knows(owner)) return undefined;
    const suspects = this.#ledger.objectsOf(owner).map(({ ref }) => ({ ref, seen: this.#watches.get(ref) }));
    const report = await this.#health.read(suspects, { kube: clientFor(this.#options.kube, owner), signal });
    return this.#held.extendReport(owner, report);
  }

  async uninstall(request: UninstallRequest): Promise<void> {
    this.#held.release(request.owner);
    this.#unpruned.delete(request.owner.uid);
    await this.#remover.uninstall(request);
    const { isOrphaned, inventory } = request;
    await (isOrphaned ? disownNamespaces : leaveNamespaces)(this.#options.kube, inventory.namespaces, request);
  }

  async #assertPermissions({ owner, recorded, installNamespace, signal }: InstallRequest, plan: Plan): Promise<void> {
    const { kube: platform, systemNamespace } = this.#options;
    const context = { platform, owner, signal };
    const defaultNamespace = installNamespace ?? systemNamespace;
    await assertPermissions(context, (surroundings) => {
      const present = this.#remover.objectsOf(owner, recorded);
      return needsOfInstallation(surroundings, { plan, present, installNamespace, defaultNamespace });
    });
  }

  /** Takes out of the plan what stands already exactly as it has it. Where kinds are still missing, the
   *  definitions that bring them are written again. */
  #divide(owner: Owner, plan: Plan): Work {
    const standing: InstalledObject[] = [];
    const objects = plan.objects.filter((object) => {
      if (isCrd(object) && plan.deferred.length > 0) return true;
      const found = this.#ledger.standing(owner, object, this.#watches.get(refOf(object)));
      if (found !== undefined) standing.push(found);
      return found === undefined;
    });
    return { ...plan, objects, standing, all: plan.objects };
  }

  async #applyPlan(plan: Work, check: Check, request: Begun): Promise<readonly KubeObject[]> {
    const isFirst = request.progress !== 'Done';
    const write = async (
      objects: readonly KubeObject[],
      later: readonly KubeObject[],
    ): Promise<readonly KubeObject[]> => {
      if (!isFirst && !request.crdSafety.isRestored) return await writeChecked(check, objects);
      const written = await writeUnchecked(check, objects);
      if (written.problems.length === 0) return written.objects;
      if (isFirst && !written.problems.every(isTrouble)) {
        throwProblems([...written.problems, ...(await this.#rollBackAll(check, request, later))]);
      }
      throwProblems(written.problems);
      return [];
    };
    const converting = await this.#converting(check, plan.objects.filter(isCrd), plan.all);
    const objects = plan.objects.map((object) => converting.get(keyOf(object)) ?? object);
    const crds = plan.deferred.length > 0 ? objects.filter(isCrd) : [];
    const others = crds.length > 0 ? objects.filter((object) => !isCrd(object)) : objects;
    const applied = [...(await write(crds, others))];
    const placed = await this.#place(plan, check, crds);
    if (!isFirst) throwProblems(await checkAll(check, placed, request.objects));
    const switched = plan.objects.filter((object) => converting.has(keyOf(object)));
    const batches = [...installBatches([...others, ...placed]), switched];
    for (const [index, batch] of batches.entries()) {
      const ready = await this.#held.readyOf(this.#serving(check), batch, [...plan.all, ...placed]);
      applied.push(...(await write(ready, batches.slice(index + 1).flat())));
    }
    return applied;
  }

  /** By key: `crds` with the conversions that they have now, where these stay until what serves the new ones is up. */
  async #converting(
    check: Check,
    crds: readonly KubeObject[],
    all: readonly KubeObject[],
  ): Promise<ReadonlyMap<string, KubeObject>> {
    const kept = new Map<string, KubeObject>();
    for (const crd of crds) {
      const object = await withLiveConversion(this.#serving(check), crd, all);
      if (object !== undefined) kept.set(keyOf(crd), object);
    }
    return kept;
  }

  #serving(check: Check): ServingContext {
    return { ...check, clock: this.#options.clock };
  }

  /** Applies again what drifted, and what has waited long enough; returns the former. A definition that waits for the server of
   *  its new conversion is corrected except for that; one whose conversion drifted does not wait. */
  async #correct(
    check: Check,
    again: readonly KubeObject[],
    all: readonly KubeObject[],
  ): Promise<readonly ObjectRef[]> {
    const { owner } = check;
    const before = this.#held.keysOf(owner);
    const mayWait = again.filter((object) => !isCrd(object) || before.has(keyOf(object)));
    const waitNot = new Set(await this.#held.readyOf(this.#serving(check), mayWait, all));
    const waiting = mayWait.filter((object) => !waitNot.has(object));
    const isWaiting = new Set(waiting);
    const ready = again.filter((object) => !isWaiting.has(object));
    if (waiting.length === 0) this.#held.release(owner);
    const converting = [...(await this.#converting(check, waiting.filter(isCrd), all)).values()];
    const isChecked = (object: KubeObject): boolean => isCrd(object) || before.has(keyOf(object));
    const checked = [...ready.filter(isChecked), ...converting];
    const unchecked = ready.filter((object) => !isChecked(object));
    const written = await writeUnchecked(check, unchecked);
    this.#ledger.update(owner, written.objects);
    throwProblems([...written.problems, ...(await checkAll(check, checked))]);
    this.#ledger.update(owner, await writeChecked(check, checked));
    this.#ledger.miss(owner, converting.map(keyOf));
    this.#requeue(this.#ledger.objectsOf(owner));
    return ready.filter((object) => !before.has(keyOf(object))).map(refOf);
  }

  /** The objects whose kinds `crds` have brought. */
  async #place(plan: Plan, check: Check, crds: readonly KubeObject[]): Promise<readonly KubeObject[]> {
    if (plan.deferred.length === 0) return [];
    await this.#crds.whenEstablished(crds, check.signal);
    const placed = await placeDeferred(check, plan.deferred);
    await this.#watches.ensure(plan.kinds);
    this.#ledger.claim(placed, check.owner);
    return placed;
  }

  /** Deletes what a first installation has created, so that nothing stays half installed; returns what else stands against it. */
  async #rollBackAll(check: Check, request: Begun, later: readonly KubeObject[]): Promise<readonly Problem[]> {
    const problems = await checkAll(check, later, request.objects);
    await this.rollBack(request);
    return problems;
  }

  async rollBack(request: RollbackRequest): Promise<void> {
    if (request.progress === 'Creating' || request.progress === 'TakingOver') await this.#remover.rollBack(request);
  }

  async presentObjects(owner: Owner, inventory: Inventory, signal: AbortSignal): Promise<readonly ObjectRef[]> {
    return await this.#remover.present(owner, inventory, signal);
  }

  async isDisowned(owner: Owner, inventory: Inventory, signal: AbortSignal): Promise<boolean> {
    return await this.#remover.isDisowned(owner, inventory, signal);
  }

  /** Everything that an installation may write or remove. */
  #touched(owner: Owner, plan: Plan, { recorded, installNamespace }: InstallRequest): Inventory {
    const places = [...plan.objects, ...plan.deferred].map(refOf);
    const present = this.#remover.objectsOf(owner, recorded).map(({ ref }) => ref);
    const coming = inventoryOf([...places, ...plan.kinds, ...present]);
    const elsewhere = installNamespace ?? this.#options.systemNamespace;
    const namespaces = plan.deferred.length > 0 || installNamespace !== undefined ? [elsewhere] : [];
    return mergeInventories([coming, { kinds: [], namespaces }, recorded]);
  }

  async #ensureNamespace(request: InstallRequest): Promise<void> {
    const { installNamespace, objects, owner, signal } = request;
    const { kube: platform } = this.#options;
    if (installNamespace === undefined) return;
    if (objects.some((object) => isNamespace(object) && object.metadata.name === installNamespace)) return;
    const { namespaceMarks: marks, onUnfitNamespace: onUnfit } = request;
    const clients = { kube: clientFor(platform, owner), platform, unanswered: this.#unanswered };
    await ensureNamespace(clients, { name: installNamespace, owner, marks, onUnfit, signal });
  }

  /** What the watches showed before the ledger knew the objects, or never showed one by one. */
  #requeue(objects: readonly InstalledObject[]): void {
    for (const object of objects) {
      const seen = this.#watches.get(object.ref);
      if (seen !== undefined) this.#observe({ before: seen, after: seen });
      else if (this.#watches.isDeleted(object)) this.#observe({ before: object, after: undefined });
    }
  }

  /** Whether an object appeared that this process does not know to have written: before it started, or after it had rolled that back or given up waiting
   *  for the answer. */
  #isUnexpected({ before, after }: InstalledChange): boolean {
    if (before !== undefined || after?.isInstalled !== true) return false;
    const key = refKey(after.ref);
    return this.#ledger.claimedBy(key) === undefined || this.#unanswered.isLost(key);
  }

  #observe(change: InstalledChange): void {
    const isDrift = this.#ledger.observe(change);
    const isDeleted = change.after === undefined;
    if (isDeleted && change.before !== undefined) this.#health.forget(refKey(change.before.ref));
    if (!isDrift && !isDeleted && !mayHaveChangedHealth(change) && !this.#isUnexpected(change)) return;
    this.#options.onChange({ owner: change.before?.owner ?? change.after?.owner, mayUnblock: isDeleted, isDrift });
  }
}

/** An engine over `kube`; it keeps one watch for each kind that it has installed until `signal` fires. */
export function createApplyEngine(options: ApplyEngineOptions): ApplyEngine {
  return new Engine(options);
}
