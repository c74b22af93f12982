import { type Clock, isJsonEqual, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { encodeBuiltIn, keepTimes } from '../apply/index.ts';
import {
  type AdmissionPlugin,
  type AdmissionRequest,
  alreadyExists,
  assertFewValues,
  copyJson,
  inTurns,
  type KubeObject,
  notFound,
  type ResourceType,
  type Strategy,
} from '../core/index.ts';
import { StaleChangeError, type Store, type StoredEntry } from '../storage/index.ts';
import { checkPreconditions, type DeletionOptions, isHeld, markForDeletion } from './deletion.ts';
import { trackFields } from './field-tracking.ts';
import { withSuffix } from './generated-names.ts';
import { storageName, type WriteContext, type WriteResult, type WriteTarget } from './write-context.ts';
import { carryOverMetadata, checkIdentity, sentVersion, startMetadata, wipeMetadata } from './write-metadata.ts';
import {
  cannotGenerate,
  checkUid,
  checkVersion,
  modifiedSince,
  refuseUidOfAbsent,
  versionOnCreate,
} from './write-preconditions.ts';
import { objectChecks, objectUpdateChecks } from './write-validation.ts';

const nameTries = 8;
const conflictTries = 5;

export interface WriterDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Asked for every write, so that plug-ins may be joined after the writer is made. */
  readonly plugins: () => readonly AdmissionPlugin[];
}

/** How admission sees the objects of a subresource that has a kind of its own, such as Scale. */
export interface AdmittedForm {
  /** What the plug-ins that change objects see; those that validate them see no managers. */
  show(object: KubeObject, hasManagers: boolean): KubeObject;
  /** The object with what admission made of how it was shown. */
  restore(shown: KubeObject, object: KubeObject): KubeObject;
}

export interface UpdateRequest {
  readonly target: WriteTarget;
  /** The desired object, made from the stored one (in the target's version; shared, not to be changed). */
  readonly build: (live: KubeObject | undefined) => KubeObject | Promise<KubeObject>;
  /** Creates what is absent, where the kind or the patch allows it. */
  readonly createsAbsent: boolean;
  /** Server-side apply has tracked its fields itself. */
  readonly isTracked: boolean;
  /** PUT must name the version it replaces, where the kind asks for it; a patch need not. */
  readonly isPatch: boolean;
  readonly form?: AdmittedForm;
}

/** Every write to storage, from a request or from inside: admission, defaults, metadata rules, validation, commit. */
export class ObjectWriter {
  readonly #deps: WriterDeps;

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  /** Stores a new object. `object` is decoded, in the target's version, and from now on the writer's own. */
  async create(target: WriteTarget, object: KubeObject, context: WriteContext): Promise<WriteResult> {
    const { type, namespace } = target;
    checkIdentity(object, target);
    wipeMetadata(object);
    const complete = this.#complete(type, object);
    await context.takeTurn?.();
    const write = { type, live: undefined, context, nowMs: this.#deps.clock.now() };
    const tracked = await inTurns(trackFields(write, complete), context.takeTurn);
    await context.takeTurn?.();
    return await this.#createTracked({ ...target, namespace }, tracked, context);
  }

  /** Stores a changed object; a change that changes nothing is not stored. */
  async update(request: UpdateRequest, context: WriteContext): Promise<WriteResult> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#updateOnce(request, context);
      } catch (thrown) {
        if (!(thrown instanceof StaleChangeError)) throw thrown;
        if (attempt >= conflictTries) throw modifiedSince(request.target, request.target.name);
      }
    }
  }

  async delete(target: WriteTarget, options: DeletionOptions, context: WriteContext): Promise<WriteResult> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#deleteOnce(target, options, context);
      } catch (thrown) {
        if (!(thrown instanceof StaleChangeError)) throw thrown;
        if (attempt >= conflictTries) throw modifiedSince(target, target.name);
      }
    }
  }

  /** Puts a connection before admission; nothing is written. `options` is what it is to be, such as PodExecOptions.
   *  @throws StatusError the refusal */
  async admitConnection(target: WriteTarget, options: KubeObject, context: WriteContext): Promise<void> {
    const step: AdmissionStep = { operation: 'CONNECT', name: target.name, object: options, old: undefined };
    for (const plugin of this.#deps.plugins()) await plugin.mutate?.(admissionRequest(target, step, context));
    await this.#validate(target, step, context);
  }

  /** Puts an object before admission that is posted to a subresource and not stored, such as an Eviction.
   *  @returns what admission made of it
   *  @throws StatusError the refusal */
  async admitPosted(target: WriteTarget, posted: KubeObject, context: WriteContext): Promise<KubeObject> {
    const step = { operation: 'CREATE' as const, name: target.name, old: undefined, isOwnKind: true };
    const object = await this.#mutate(target, { ...step, object: posted }, context);
    await this.#validate(target, { ...step, object }, context);
    return object;
  }

  async #createTracked(target: WriteTarget, object: KubeObject, context: WriteContext): Promise<WriteResult> {
    const { type } = target;
    const name = object.metadata.name ?? '';
    const admitted = await this.#mutate(target, { operation: 'CREATE', name, object, old: undefined }, context);
    // A webhook may have moved it to another namespace, for which its author need not have any permission.
    checkIdentity(admitted, target);
    startMetadata(type, admitted, this.#deps.clock.now());
    const base = admitted.metadata.name === undefined ? admitted.metadata.generateName : undefined;
    for (let attempt = 1; ; attempt += 1) {
      const named = base === undefined ? admitted : namedFrom(base, admitted);
      // With the name, because some kinds derive fields from it.
      type.strategy.prepareForCreate(named);
      try {
        return await this.#validateAndInsert(target, named, context);
      } catch (thrown) {
        if (!(thrown instanceof StaleChangeError)) throw thrown;
        if (base === undefined) throw alreadyExists(type, named.metadata.name ?? '');
        if (attempt >= nameTries) throw cannotGenerate(target, admitted);
      }
    }
  }

  async #validateAndInsert(target: WriteTarget, object: KubeObject, context: WriteContext): Promise<WriteResult> {
    const { type, namespace } = target;
    await inTurns(objectChecks(type, object, context), context.takeTurn);
    await context.takeTurn?.();
    const name = object.metadata.name ?? '';
    const key = storageName(type, namespace, name);
    if (sentVersion(object) > 0) throw versionOnCreate();
    delete object.metadata.resourceVersion;
    // Taken names are found before the validating plug-ins ask others, and again when storing.
    if (this.#deps.store.get(type.storageKey, key) !== undefined) throw new StaleChangeError(undefined);
    await this.#validate(target, { operation: 'CREATE', name, object, old: undefined }, context);
    const stored = await storedForm(type, object, context.signal);
    if (context.dryRun) {
      const isConverted = type.conversion !== undefined;
      return { object: isConverted ? object : type.toServed(stored), isCreated: true, isDeleted: false };
    }
    const { entry, durable } = this.#deps.store.commit({
      storageKey: type.storageKey,
      key,
      replaces: undefined,
      object: stored,
    });
    await durable;
    return { object: await servedForm(type, entry.object, context.signal), isCreated: true, isDeleted: false };
  }

  async #updateOnce(request: UpdateRequest, context: WriteContext): Promise<WriteResult> {
    const { target } = request;
    const { type, name } = target;
    const entry = this.#deps.store.get(type.storageKey, storageName(type, target.namespace, name));
    if (entry === undefined) return await this.#createAbsent(request, context);
    const live = await servedForm(type, entry.object, context.signal);
    const desired = copyJson(await request.build(live));
    await context.takeTurn?.();
    checkIdentity(desired, target);
    if (!request.isPatch) checkUid(target, desired, live.metadata.uid ?? '');
    checkVersion({ target, desired, live, mayOmit: type.strategy.allowsUnconditionalUpdate });
    const complete = this.#complete(type, desired, live);
    carryOverMetadata(complete, live);
    await context.takeTurn?.();
    const tracked = request.isTracked ? complete : await this.#track(target, { live, desired: complete }, context);
    await context.takeTurn?.();
    const admitted = await this.#mutateUpdate(request, { object: tracked, live }, context);
    carryOverMetadata(admitted, live);
    prepareUpdate(target, admitted, live);
    await inTurns(objectUpdateChecks({ target, object: admitted, old: live }, context), context.takeTurn);
    await context.takeTurn?.();
    await this.#validate(target, updateStep(request, { object: admitted, live }, false), context);
    return await this.#replace(target, { entry, live, object: admitted }, context);
  }

  /** The object with defaults, and in the form that kube-apiserver writes. */
  #complete(type: ResourceType, object: KubeObject, live?: KubeObject): KubeObject {
    const { managedFields } = object.metadata;
    assertFewValues(object, live);
    type.strategy.applyDefaults(object);
    const complete = encodeBuiltIn(object as unknown as JsonObject, type.schema) as unknown as KubeObject;
    // An empty list is not written, but it removes all managers.
    if (managedFields?.length === 0) complete.metadata.managedFields = managedFields;
    return complete;
  }

  /** What the write itself changes, before admission, belongs to its manager: even what the endpoint then does not take. */
  async #track(
    target: WriteTarget,
    change: { readonly live: KubeObject; readonly desired: KubeObject },
    context: WriteContext,
  ): Promise<KubeObject> {
    const { live, desired } = change;
    const { type, subresource } = target;
    const steps = trackFields({ type, live, context, nowMs: this.#deps.clock.now(), subresource }, desired);
    return await inTurns(steps, context.takeTurn);
  }

  async #createAbsent(request: UpdateRequest, context: WriteContext): Promise<WriteResult> {
    const { target } = request;
    const mayCreate = request.createsAbsent && target.subresource === undefined;
    if (!mayCreate && request.isPatch) throw notFound(target.type, target.name);
    const object = copyJson(await request.build(undefined));
    if (request.isPatch) refuseUidOfAbsent(target, object);
    else checkUid(target, object, '');
    if (!mayCreate) throw notFound(target.type, target.name);
    context.mayCreate?.();
    delete object.metadata.resourceVersion;
    if (!request.isTracked) return await this.create(target, object, context);
    checkIdentity(object, target);
    return await this.#createTracked(target, this.#complete(target.type, object), context);
  }

  async #replace(
    target: WriteTarget,
    update: { readonly entry: StoredEntry; readonly live: KubeObject; readonly object: KubeObject },
    context: WriteContext,
  ): Promise<WriteResult> {
    const { type } = target;
    const { entry, live } = update;
    const object = keepTimes(update.object, live);
    object.metadata.resourceVersion = live.metadata.resourceVersion ?? '';
    const isDeleted = object.metadata.deletionTimestamp !== undefined && !isHeld(object);
    const isSame = isJsonEqual(object as unknown as JsonValue, live as unknown as JsonValue);
    if (context.dryRun || (isSame && !isDeleted)) return { object, isCreated: false, isDeleted: false };
    const storageKey = type.storageKey;
    const stored = isDeleted ? undefined : await storedForm(type, object, context.signal);
    const change = { storageKey, key: entry.key, replaces: entry, object: stored };
    const { entry: written, durable } = this.#deps.store.commit(change);
    await durable;
    const served = isDeleted ? object : await servedForm(type, written.object, context.signal);
    return { object: served, isCreated: false, isDeleted };
  }

  async #deleteOnce(target: WriteTarget, options: DeletionOptions, context: WriteContext): Promise<WriteResult> {
    const { type, name } = target;
    const entry = this.#deps.store.get(type.storageKey, storageName(type, target.namespace, name));
    if (entry === undefined) throw notFound(type, name);
    const old = await servedForm(type, entry.object, context.signal);
    await this.#validate(target, { operation: 'DELETE', name, object: undefined, old }, context);
    checkPreconditions(type, old, options);
    const marked = markForDeletion(type, old, { options, nowMs: this.#deps.clock.now() });
    if (marked.isHeld) return await this.#replace(target, { entry, live: old, object: marked.object }, context);
    if (context.dryRun) return { object: marked.object, isCreated: false, isDeleted: true };
    const last = marked.object === old ? undefined : await storedForm(type, marked.object, context.signal);
    return await this.#remove(type, { entry, marked: last }, context.signal);
  }

  /** Takes an object out of storage; what has ended its grace is seen marked before it goes. */
  async #remove(
    type: ResourceType,
    { entry, marked }: { readonly entry: StoredEntry; readonly marked: KubeObject | undefined },
    signal: AbortSignal,
  ): Promise<WriteResult> {
    const { store } = this.#deps;
    const { storageKey } = type;
    const { key } = entry;
    const before =
      marked === undefined ? entry : store.commit({ storageKey, key, replaces: entry, object: marked }).entry;
    const { durable, entry: last } = store.commit({ storageKey, key, replaces: before, object: undefined });
    await durable;
    return { object: await servedForm(type, last.object, signal), isCreated: false, isDeleted: true };
  }

  async #mutateUpdate(request: UpdateRequest, update: Update, context: WriteContext): Promise<KubeObject> {
    const admitted = await this.#mutate(request.target, updateStep(request, update, true), context);
    return request.form?.restore(admitted, update.object) ?? admitted;
  }

  async #mutate(target: WriteTarget, step: AdmissionStep, context: WriteContext): Promise<KubeObject> {
    let { object } = step;
    if (context.isAdmitted === true) return object as KubeObject;
    for (const plugin of this.#deps.plugins()) {
      const changed = await plugin.mutate?.(admissionRequest(target, { ...step, object }, context));
      if (changed === undefined) continue;
      await context.takeTurn?.();
      object = step.isOwnKind === true ? changed : this.#complete(target.type, copyJson(changed));
      await context.takeTurn?.();
    }
    return object as KubeObject;
  }

  async #validate(target: WriteTarget, step: AdmissionStep, context: WriteContext): Promise<void> {
    if (context.isAdmitted === true) return;
    const request = admissionRequest(target, step, context);
    for (const plugin of this.#deps.plugins()) {
      if (step.operation === 'DELETE') await plugin.mutate?.(request);
      await plugin.validate?.(request);
    }
  }
}

/** A stored object in the version of a request. */
async function servedForm(type: ResourceType, object: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  if (type.conversion !== undefined) await type.conversion.prepare([object], signal);
  return type.toServed(object);
}

/** An object of a request in the version that it is stored in. */
async function storedForm(type: ResourceType, object: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  return type.conversion === undefined ? type.toStorage(object) : await type.conversion.store(object, signal);
}

interface AdmissionStep {
  readonly operation: AdmissionRequest['operation'];
  readonly name: string;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  /** Whether the objects are of the subresource's kind. */
  readonly isOwnKind?: boolean;
}

/** What is to become of a stored object. */
interface Update {
  readonly object: KubeObject;
  readonly live: KubeObject;
}

function updateStep({ target, form }: UpdateRequest, { object, live }: Update, hasManagers: boolean): AdmissionStep {
  const step = { operation: 'UPDATE' as const, name: target.name };
  if (form === undefined) return { ...step, object, old: live };
  return { ...step, object: form.show(object, hasManagers), old: form.show(live, hasManagers), isOwnKind: true };
}

/** A patch is admitted as the creation or update that it comes to. */
function admissionOptions(operation: AdmissionRequest['operation'], options: JsonObject): JsonObject | null {
  if (operation === 'CONNECT') return null;
  if (options['kind'] === 'DeleteOptions') return options;
  const { force: _force, ...rest } = options;
  return { ...rest, kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions' };
}

function admissionRequest(target: WriteTarget, step: AdmissionStep, context: WriteContext): AdmissionRequest {
  return {
    operation: step.operation,
    resource: target.type,
    subresource: target.subresource,
    namespace: target.namespace,
    name: context.isCollection === true ? '' : step.name,
    object: step.object,
    oldObject: step.old,
    options: admissionOptions(step.operation, context.options),
    user: context.user,
    dryRun: context.dryRun,
    warn: (text) => context.warn(text),
    signal: context.signal,
  };
}

function isPrepared(
  subresource: string,
  strategy: Strategy,
  { object, live }: { readonly object: KubeObject; readonly live: KubeObject },
): boolean {
  return strategy.prepareForSubresource?.(subresource, object, live) ?? false;
}

function namedFrom(base: string, object: KubeObject): KubeObject {
  const named = copyJson(object);
  named.metadata.name = withSuffix(base);
  return named;
}

function prepareUpdate(target: WriteTarget, object: KubeObject, live: KubeObject): void {
  const { strategy } = target.type;
  if (target.subresource === 'status') {
    strategy.prepareForStatusUpdate(object, live);
  } else if (target.subresource === undefined || !isPrepared(target.subresource, strategy, { object, live })) {
    strategy.prepareForUpdate(object, live);
  }
  const { generation } = live.metadata;
  if (generation === undefined) delete object.metadata.generation;
  else object.metadata.generation = generation;
  if (target.subresource === 'status' || target.subresource === 'binding') return;
  if (strategy.isNewGeneration(object, live)) object.metadata.generation = (generation ?? 0) + 1;
}
