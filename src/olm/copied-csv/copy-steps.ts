import { olmAnnotations, olmFieldManager, olmLabels } from '../../api/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { type ReconcileRun, requeueAfter, type Step } from '../../controller/index.ts';
import {
  formatNamespacedName,
  isNotFound,
  type KubeObject,
  type NamespacedName,
  namespacedName,
  preconditionOf,
  refOf,
} from '../../kube/index.ts';
import { deleteObject, type RbacWriter } from '../rbac-objects.ts';
import type { Operator } from './access.ts';
import { tenantAccess, versionKey } from './access.ts';
import {
  describeUnwritten,
  ensureEach,
  giverOf,
  joined,
  nameOf,
  refusedMs,
  roleOf,
  type Unwritten,
} from './access-writer.ts';
import { type CopyContext, type KnownContent, versionRef } from './context.ts';
import { copyObject, type DesiredCopy, hashesOf, hasMetadata } from './desired-copy.ts';
import { isObsolete, sourceOf, wasOperator } from './sources.ts';

/** The reconcile of the copy of one name in one namespace, whether it exists or not. */
export interface CopyRun extends ReconcileRun {
  readonly context: CopyContext;
  readonly request: NamespacedName;
  readonly source: Operator | undefined;
  /** Its metadata; undefined while it does not exist. */
  copy: KubeObject | undefined;
}

/** Begins one. */
export function beginCopy(context: CopyContext, object: KubeObject): CopyRun {
  const request = namespacedName(object);
  const copy = context.caches.copies.get(request.name, request.namespace);
  return { context, object, request, source: sourceOf(context, request), copy };
}

function forget({ context, request }: CopyRun): void {
  const key = formatNamespacedName(request);
  context.known.delete(key);
  context.reported.delete(`copy ${key}`);
}

/** A foreign Role in the way is looked for again after this time. */
const blockedMs = 600_000;

function metadataOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { managedFields: _managers, ...rest } = metadata;
  return { apiVersion, kind, metadata: rest };
}

/** A copy that has lost the label of copies is not among them: it gets the label again. */
const restoreLabel: Step<CopyRun> = async ({ context, request, source }, { signal }) => {
  const { kube, caches } = context;
  const live = caches.originals.get(request.name, request.namespace);
  if (live === undefined) return undefined;
  const from = source?.object.metadata.namespace;
  const isCopy = (live['status'] as JsonObject | undefined)?.['reason'] === 'Copied' && !wasOperator(live);
  const isOfSource = from !== undefined && live.metadata.annotations?.[olmAnnotations.operatorNamespace] === from;
  if (!isCopy || !isOfSource) return 'stop';
  const metadata = { ...preconditionOf(live), labels: { [olmLabels.copiedFrom]: from } };
  await kube.patch(refOf(live), { metadata }, { fieldManager: olmFieldManager, signal });
  return 'stop';
};

/** The permissions go before the copy, which a finalizer may retain. */
const removeObsolete: Step<CopyRun> = async (run, { signal }) => {
  const { context, source, copy } = run;
  if (copy === undefined) forget(run);
  if (source !== undefined) return undefined;
  if (copy === undefined || !(await isObsolete(context, copy))) return 'stop';
  for (const object of ownAccess(run, copy)) await deleteObject(context.kube, object, signal);
  if (!wasOperator(copy)) await deleteObject(context.kube, copy, signal);
  return 'stop';
};

/** An operator that has the label of copies by mistake is left alone: nothing of it is deleted or changed. */
const skipOperators: Step<CopyRun> = async ({ copy }) => {
  await Promise.resolve();
  const isBeingDeleted = copy?.metadata.deletionTimestamp !== undefined;
  return copy !== undefined && (wasOperator(copy) || isBeingDeleted) ? 'stop' : undefined;
};

/** A copy that does not name its source is not one: it is deleted, and created again after that. */
const removeForged: Step<CopyRun> = async ({ context, source, copy }, { signal }) => {
  if (copy === undefined || source === undefined) return undefined;
  const { namespace } = source.object.metadata;
  const { labels, annotations = {} } = copy.metadata;
  const named = annotations[olmAnnotations.operatorNamespace] ?? annotations[olmAnnotations.operatorGroupNamespace];
  if (labels?.[olmLabels.copiedFrom] === namespace && named === namespace) return undefined;
  await deleteObject(context.kube, copy, signal);
  return 'stop';
};

function note(run: CopyRun, written: KubeObject, hashes: { readonly main: string; readonly status: string }): void {
  const { uid = '', resourceVersion = '' } = written.metadata;
  run.copy = metadataOnly(written);
  run.context.caches.copies.wrote(run.copy);
  run.context.known.set(formatNamespacedName(run.request), { uid, resourceVersion, ...hashes });
}

/** A ClusterServiceVersion passes through these while its operator is installed. */
const passing: ReadonlySet<string> = new Set(['', 'Pending', 'InstallReady', 'Installing']);
/** After it a copy is made all the same. */
const installationMs = 10_000;

/** How long the installation of an operator may be waited for: its phases follow quickly on one another, and in a cluster with many namespaces to copy
 *  each of them everywhere would delay the installation itself. */
function installingMs({ clock }: CopyContext, { csv }: Operator): number {
  const { phase = '', lastUpdateTime = '' } = csv.status ?? {};
  if (!passing.has(phase)) return 0;
  const sinceMs = clock.now() - Date.parse(lastUpdateTime);
  return sinceMs >= 0 && sinceMs < installationMs ? installationMs - sinceMs : 0;
}

/** Copies of a global operator wait for it; those of others are there first, as they come with its permissions. */
const awaitInstallation: Step<CopyRun> = async (run) => {
  await Promise.resolve();
  const { context, source, copy } = run;
  if (copy !== undefined || source === undefined) return undefined;
  const waitMs = context.placementOf(source).kind === 'everywhere' ? installingMs(context, source) : 0;
  if (waitMs === 0) return undefined;
  requeueAfter(run, waitMs);
  return 'stop';
};

const createCopy: Step<CopyRun> = async (run, { signal }) => {
  const { context, source, copy, request } = run;
  if (copy !== undefined || source === undefined) return undefined;
  const desired = context.desired(source.object);
  const made = await context.kube.create(copyObject(versionRef(request), desired), {
    fieldManager: olmFieldManager,
    signal,
  });
  note(run, made, { main: desired.mainHash, status: '' });
  return undefined;
};

/** What the copy contains: known from the last write, or read. Undefined if it does not exist any more. */
async function contentOf(run: CopyRun, copy: KubeObject, desired: DesiredCopy): Promise<KnownContent | undefined> {
  const { context, request } = run;
  const known = context.known.get(formatNamespacedName(request));
  const { uid, resourceVersion } = copy.metadata;
  if (known !== undefined && known.uid === uid && known.resourceVersion === resourceVersion) return known;
  try {
    const read = await context.kube.get(versionRef(request), { signal: context.signal });
    if (read.metadata.uid !== uid) return undefined;
    note(run, read, hashesOf(read, desired));
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return undefined;
  }
  return context.known.get(formatNamespacedName(request));
}

/** Only what differs is written: spec and metadata, then the status. */
const correctCopy: Step<CopyRun> = async (run, { signal }) => {
  const { context, source } = run;
  if (run.copy === undefined || source === undefined) return undefined;
  const desired = context.desired(source.object);
  const content = await contentOf(run, run.copy, desired);
  if (content === undefined) return 'stop';
  const options = { fieldManager: olmFieldManager, signal } as const;
  let { main } = content;
  if (main !== desired.mainHash || !hasMetadata(run.copy, desired)) {
    const written = await context.kube.update(copyObject(run.copy, desired), options);
    main = desired.mainHash;
    note(run, written, { main, status: content.status });
  }
  if (content.status === desired.statusHash) return undefined;
  const waitMs = content.status === '' ? 0 : installingMs(context, source);
  if (waitMs > 0) {
    requeueAfter(run, waitMs);
    return undefined;
  }
  // The API server keeps the spec, which is large.
  const object = { ...metadataOnly(run.copy), status: desired.status };
  const written = await context.kube.update(object, { ...options, subresource: 'status' });
  note(run, written, { main, status: desired.statusHash });
  return undefined;
};

function cacheOf({ caches }: CopyContext, kind: string): CopyContext['caches']['roles'] {
  return kind === 'Role' ? caches.roles : caches.roleBindings;
}

function desiredAccess({ context, source }: CopyRun, copy: KubeObject): readonly KubeObject[] {
  if (source === undefined || context.placementOf(source).kind !== 'namespaces') return [];
  return tenantAccess(context.accessOf(source), copy, source.object.metadata.namespace ?? '');
}

/** Roles and bindings that were made with the copy, by its uid. */
function ownAccess({ context }: CopyRun, { metadata }: KubeObject): readonly KubeObject[] {
  const key = versionKey(metadata);
  return [...context.rolesOf(key), ...context.bindingsOf(key)].filter((object) => {
    const isCopied = object.metadata.labels?.[olmLabels.copiedFrom] !== undefined;
    const isHere = object.metadata.namespace === metadata.namespace;
    return isCopied && isHere && (object.metadata.ownerReferences ?? []).some(({ uid }) => uid === metadata.uid);
  });
}

/** Gives the operator its permissions in the namespace of the copy, and takes those away that it does not request any more. */
const ensureAccess: Step<CopyRun> = async (run, { signal }) => {
  const { context, copy, source } = run;
  if (copy === undefined) return undefined;
  const desired = desiredAccess(run, copy);
  const isOwn = ({ metadata }: KubeObject): boolean =>
    (metadata.ownerReferences ?? []).some(({ uid }) => uid === copy.metadata.uid);
  const giver = giverOf(context, source === undefined ? { kind: 'nowhere' } : context.placementOf(source));
  const writerFor = ({ kind }: KubeObject): Omit<RbacWriter, 'kube'> => ({
    cache: cacheOf(context, kind),
    isOwn,
    signal,
  });
  const roles = desired.filter(({ kind }) => kind === 'Role');
  const unwritten = await ensureEach(roles, giver, writerFor);
  // A binding must not give what a Role of another owner allows.
  const bindings = desired.filter((object) => object.kind !== 'Role' && !unwritten.foreign.includes(roleOf(object)));
  const names = new Set([...roles, ...bindings].map(nameOf));
  for (const object of ownAccess(run, copy)) {
    if (!names.has(nameOf(object))) await deleteObject(context.kube, object, signal);
  }
  const possible = bindings.filter((object) => !unwritten.refused.includes(roleOf(object)));
  report(run, joined(unwritten, await ensureEach(possible, giver, writerFor)));
  return undefined;
};

function report(run: CopyRun, unwritten: Unwritten): void {
  const { context, request, source } = run;
  const key = `copy ${formatNamespacedName(request)}`;
  const message = describeUnwritten(unwritten, `in namespace ${request.namespace}`);
  if (message === '') context.reported.delete(key);
  if (message === '' || source === undefined) return;
  requeueAfter(run, unwritten.refused.length > 0 ? refusedMs : blockedMs);
  if (context.reported.get(key) === message) return;
  context.reported.set(key, message);
  context.events.record(source.object, { type: 'Warning', reason: 'PermissionsNotCopied', message });
}

/** The steps of a reconcile.
 *  @see docs/spec/olm-v0.md#copied-csvs */
export const copySteps: readonly Step<CopyRun>[] = [
  restoreLabel,
  removeObsolete,
  skipOperators,
  removeForged,
  awaitInstallation,
  createCopy,
  correctCopy,
  ensureAccess,
];
