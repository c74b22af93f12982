import { mapLimit } from '../base/index.ts';
import { describeRef, isNotFound, type KubeClient, type KubeObject, refOf } from '../kube/index.ts';
import { type KindWatches, keyOf } from './kind-watches.ts';
import type { Ledger } from './ledger.ts';
import { fieldManager, foreignObject, type Owner, takeoverProblem } from './ownership.ts';
import { type Problem, problemOf } from './problems.ts';

export interface CheckContext {
  readonly kube: KubeClient;
  readonly watches: KindWatches;
  readonly ledger: Ledger;
  readonly owner: Owner;
  readonly systemNamespace: string;
  readonly isUpgrade: boolean;
  readonly signal: AbortSignal;
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
  const why = `it belongs to BundleDeployment "${other}"`;
  return conflict(foreignObject(describeRef(refOf(object)), why, isUpgrade));
}

/** An object that exists and is not among those that bear our labels: read it, and see whose it is. */
async function takeover(context: CheckContext, object: KubeObject): Promise<Problem | undefined> {
  try {
    const existing = await context.kube.get(refOf(object), { signal: context.signal });
    const text = takeoverProblem(existing, context.owner, context);
    return text === undefined ? undefined : conflict(text);
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

/** The namespace does not exist yet because the bundle brings it: let the server check the object in another one, under a
 *  name that is free. What only the real namespace could say (quotas, policies) stays unchecked. */
async function checkElsewhere(context: CheckContext, object: KubeObject): Promise<Problem | undefined> {
  const { name = '', ...metadata } = object.metadata;
  const generateName = `${name.slice(0, 50).replace(/[^a-z0-9]+$/, '')}-`;
  const elsewhere = { ...object, metadata: { ...metadata, generateName, namespace: context.systemNamespace } };
  try {
    const options = { fieldManager, isDryRun: true, fieldValidation: 'Strict', signal: context.signal } as const;
    await context.kube.create(elsewhere, options);
    return undefined;
  } catch (thrown) {
    return isNotFound(thrown) ? undefined : problemOf(describeRef(refOf(object)), thrown);
  }
}

async function checkObject(
  context: CheckContext,
  object: KubeObject,
  comingNamespaces: ReadonlySet<string>,
): Promise<Problem | undefined> {
  const owned = knownOwnerProblem(context, object);
  if (owned !== undefined) return owned;
  try {
    const { kube, signal } = context;
    const { isCreated } = await kube.apply(object, { fieldManager, force: true, isDryRun: true, signal });
    if (isCreated || context.watches.get(refOf(object)) !== undefined) return undefined;
    return await takeover(context, object);
  } catch (thrown) {
    const isComing = comingNamespaces.has(object.metadata.namespace ?? '');
    if (isNotFound(thrown) && isComing) return await checkElsewhere(context, object);
    return problemOf(describeRef(refOf(object)), thrown);
  }
}

/** Dry run of all objects; writes nothing, returns every problem. */
export async function checkAll(
  context: CheckContext,
  objects: readonly KubeObject[],
  all: readonly KubeObject[] = objects,
): Promise<readonly Problem[]> {
  const namespaces = all.filter(({ kind, apiVersion }) => kind === 'Namespace' && apiVersion === 'v1');
  const coming = new Set(namespaces.map(({ metadata }) => metadata.name ?? ''));
  const found = await mapLimit(objects, parallelRequests, (object) => checkObject(context, object, coming));
  return found.filter((problem) => problem !== undefined);
}
