import { bundleDeploymentResource } from '../api/index.ts';
import { mapLimit, traced } from '../base/index.ts';
import {
  describeRef,
  isAlreadyExists,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  NoKindMatch,
  refKey,
  refOf,
} from '../kube/index.ts';
import { type CrdPreflightContext, crdProblem } from './crd-preflight.ts';
import { isCrd, isNamespace } from './kind-list.ts';
import { type KindWatches, keyOf } from './kind-watches.ts';
import type { Ledger } from './ledger.ts';
import {
  belongsTo,
  fieldManager,
  foreignObject,
  labelledOwner,
  type Owner,
  otherOwner,
  takeoverProblem,
} from './ownership.ts';
import { type Problem, problemOf } from './problems.ts';
import type { InstallationProgress } from './requests.ts';
import type { UnansweredWrites } from './unanswered-writes.ts';

/** Input of the check of an existing object. */
export interface TakeoverContext extends CrdPreflightContext {
  /** With our own permissions, for objects that do not belong to the deployment. */
  readonly platform: KubeClient;
  readonly owner: Owner;
  readonly systemNamespace: string;
  readonly isUpgrade: boolean;
  readonly mayAdopt: boolean;
}

export interface CheckContext extends TakeoverContext {
  readonly watches: KindWatches;
  readonly ledger: Ledger;
  readonly unanswered: UnansweredWrites;
  /** Created before the objects, if there is none. */
  readonly installNamespace?: string | undefined;
  /** Called before an object that exists is taken over. */
  readonly onTakeover?: ((object: KubeObject) => Promise<void>) | undefined;
}

const parallelRequests = 8;

function conflict(message: string): Problem {
  return { message, isTransient: true, isConflict: true };
}

function knownOwnerProblem(context: CheckContext, object: KubeObject): Problem | undefined {
  const { owner, ledger, watches, isUpgrade } = context;
  const claim = ledger.claimedBy(keyOf(object));
  const known = watches.get(refOf(object))?.owner;
  const other = claim !== undefined && claim.uid !== owner.uid ? claim.name : known;
  if (other === undefined || other === owner.name) return undefined;
  if (context.mayAdopt && claim === undefined) return undefined;
  const why = otherOwner(other, owner, true);
  return conflict(foreignObject(describeRef(refOf(object)), why, isUpgrade));
}

/** Whether the BundleDeployment that the labels name exists. Read only where it matters. */
async function isOwnerThere(context: TakeoverContext, { metadata }: KubeObject): Promise<boolean> {
  const name = labelledOwner(metadata);
  if (name === undefined || name === context.owner.name) return false;
  try {
    const { apiVersion, kind } = bundleDeploymentResource;
    await context.platform.get({ apiVersion, kind, name }, { signal: context.signal });
    return true;
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

/** Whether it is a Secret that cert-manager has created for a Certificate of the owner, which now uses another certificate provider. */
async function isOfOwnCertificate({ kube, owner, signal }: TakeoverContext, existing: KubeObject): Promise<boolean> {
  const { annotations = {}, namespace } = existing.metadata;
  const name = annotations['cert-manager.io/certificate-name'];
  if (existing.kind !== 'Secret' || name === undefined) return false;
  try {
    const { metadata } = await kube.get(
      { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', namespace, name },
      { signal },
    );
    return belongsTo(metadata, owner.name);
  } catch (thrown) {
    if (isNotFound(thrown) || isForbidden(thrown) || thrown instanceof NoKindMatch) return false;
    throw thrown;
  }
}

/** Why an object that exists is not for us to take. */
export async function ownershipProblem(context: TakeoverContext, existing: KubeObject): Promise<Problem | undefined> {
  const isOtherThere = await isOwnerThere(context, existing);
  const text = takeoverProblem(existing, context.owner, { ...context, isOtherThere });
  if (text === undefined || (await isOfOwnCertificate(context, existing))) return undefined;
  return conflict(text);
}

/** Reads an existing object without our labels, and finds its owner. The very object that is installed has lost them; what another client has created in
 *  its place has its name alone. */
async function takeover(context: CheckContext, object: KubeObject): Promise<Problem | undefined> {
  const { kube, ledger, owner, signal } = context;
  try {
    const live = await kube.get(refOf(object), { signal });
    if (live.metadata.uid === ledger.installedUid(owner, object)) return undefined;
    return await ownershipProblem(context, live);
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** A message about an object whose name the server made up, with the name that it is to have. */
function withOwnName(
  message: string,
  { name, generateName }: { readonly name: string; readonly generateName: string },
): string {
  const [head = '', ...rest] = message.split(generateName);
  return (
    head + rest.map((part) => (/^[a-z0-9]{5}\b/.test(part) ? `${name}${part.slice(5)}` : generateName + part)).join('')
  );
}

/** The namespace does not exist yet because the bundle brings it: let the server check the object in another one, under a
 *  name that is free. Quotas and policies of the real namespace stay unchecked. */
async function checkElsewhere(context: CheckContext, object: KubeObject): Promise<Problem | undefined> {
  const { name = '', ...metadata } = object.metadata;
  const generateName = `${name.slice(0, 50).replace(/[^a-z0-9]+$/, '')}-`;
  const elsewhere = { ...object, metadata: { ...metadata, generateName, namespace: context.systemNamespace } };
  try {
    const options = { fieldManager, isDryRun: true, fieldValidation: 'Strict', signal: context.signal } as const;
    await context.platform.create(elsewhere, options);
    return undefined;
  } catch (thrown) {
    // An impersonated account may write nothing here: its permissions there have been checked.
    if (isNotFound(thrown) || (context.owner.account !== undefined && isForbidden(thrown))) return undefined;
    const found = problemOf(describeRef(refOf(object)), thrown);
    const problem = { ...found, message: withOwnName(found.message, { name, generateName }) };
    // Of all names that the server makes up, this one was taken: the next one will not be.
    return isAlreadyExists(thrown) ? { ...problem, isTransient: true } : problem;
  }
}

/** The server's response to a dry run of the object, and our checks of its result. */
async function dryRun(context: CheckContext, object: KubeObject): Promise<Problem | undefined> {
  const { kube, signal, watches, owner } = context;
  const applied = await kube.apply(object, { fieldManager, force: true, isDryRun: true, signal });
  if (applied.isCreated) return undefined;
  const isOurs = watches.get(refOf(object))?.owner === owner.name;
  const foreign = isOurs ? undefined : await takeover(context, object);
  if (foreign !== undefined || !isCrd(object)) return foreign;
  return await crdProblem(context, applied.object);
}

/** Objects that are installed together with the checked ones: a dry run does not know them. */
interface Coming {
  readonly namespaces: ReadonlySet<string>;
  /** Keys of the roles. */
  readonly roles: ReadonlySet<string>;
}

/** The role that a binding refers to. Without the permission `bind`, the permissions of the role are required. */
function roleOf(object: KubeObject): string {
  const { kind = '', name = '' } = (object['roleRef'] ?? {}) as { readonly kind?: string; readonly name?: string };
  const place = kind === 'Role' ? { namespace: object.metadata.namespace } : {};
  return refKey({ apiVersion: object.apiVersion, kind, name, ...place });
}

async function checkObject(context: CheckContext, object: KubeObject, coming: Coming): Promise<Problem | undefined> {
  const owned = knownOwnerProblem(context, object);
  if (owned !== undefined) return owned;
  try {
    return await dryRun(context, object);
  } catch (thrown) {
    const isComing = coming.namespaces.has(object.metadata.namespace ?? '');
    if (isNotFound(thrown) && object.kind.endsWith('RoleBinding') && coming.roles.has(roleOf(object))) return undefined;
    if (isNotFound(thrown) && isComing) return await checkElsewhere(context, object);
    return problemOf(describeRef(refOf(object)), thrown);
  }
}

/** Objects that this process knows to belong to others; sends no request. */
function knownConflicts(context: CheckContext, objects: readonly KubeObject[]): readonly Problem[] {
  return objects.flatMap((object) => knownOwnerProblem(context, object) ?? []);
}

/** Dry run of all objects; writes nothing, returns every problem. */
export async function checkAll(
  context: CheckContext,
  objects: readonly KubeObject[],
  all: readonly KubeObject[] = objects,
): Promise<readonly Problem[]> {
  const namespaces = new Set(all.filter(isNamespace).map(({ metadata }) => metadata.name ?? ''));
  if (context.installNamespace !== undefined) namespaces.add(context.installNamespace);
  const coming = { namespaces, roles: new Set(all.filter(({ kind }) => kind.endsWith('Role')).map(keyOf)) };
  const what = { name: 'dry run', attributes: { 'longshore.objects': objects.length } };
  const found = await traced(what, () =>
    mapLimit(objects, parallelRequests, (object) => checkObject(context, object, coming)),
  );
  return found.filter((problem) => problem !== undefined);
}

/** What the check of an installation depends on. */
interface Installation {
  readonly progress: InstallationProgress;
  readonly crdSafety: CheckContext['crdSafety'];
  /** All objects of the bundle. */
  readonly objects: readonly KubeObject[];
}

/** Checks an installation that would write `objects`, before anything is written. A first installation is written at once, except for definitions that
 *  exist: nothing of the owner can be damaged, and its objects are deleted again if the rest is rejected. Drift of the installed version is corrected
 *  without a dry run. Everything else is dry-run first. */
export async function checkInstallation(
  check: CheckContext,
  objects: readonly KubeObject[],
  { progress, crdSafety, objects: all }: Installation,
): Promise<readonly Problem[]> {
  if (progress === 'NotStarted') {
    if (knownConflicts(check, objects).length > 0) return await checkAll(check, objects, all);
    // Left by a former BundleDeployment of the name, or restored: there may be objects of them.
    const left = objects.filter((object) => isCrd(object) && check.watches.get(refOf(object)) !== undefined);
    return await checkAll(check, left, all);
  }
  return await checkAll(check, crdSafety.isRestored ? objects.filter(isCrd) : objects, all);
}
