import { errorMessage, mapLimit, TerminalError, TransientError } from '../base/index.ts';
import {
  describeRef,
  findObject,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ObjectRef,
  refKey,
  refOf,
} from '../kube/index.ts';
import { ownershipProblem, type TakeoverContext } from './check.ts';
import { type CrdSafety, crdProblem } from './crd-preflight.ts';
import { listInstalled } from './installed.ts';
import type { Inventory } from './inventory.ts';
import { isCrd, isNamespace } from './kind-list.ts';
import { keyOf } from './kind-watches.ts';
import { fieldManager, isRetained, type Owner, ownedBy } from './ownership.ts';
import { makePlan, type Plan } from './plan.ts';

/** An object before and after an installation; undefined where there is none. */
export interface ObjectChange {
  readonly ref: ObjectRef;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  /** What is applied; undefined for what would be removed. */
  readonly manifest?: KubeObject;
}

/** What an installation would do. */
export interface Preview {
  /** Every object that the bundle brings, changed or not, then those that would be removed. */
  readonly changes: readonly ObjectChange[];
  /** Objects that would stay though the bundle does not bring them any more. */
  readonly kept: readonly ObjectRef[];
  /** Why nothing would be done at all, one text a reason. */
  readonly blockers: readonly string[];
}

export interface PreviewRequest {
  readonly kube: KubeClient;
  readonly owner: Owner;
  readonly objects: readonly KubeObject[];
  readonly recorded: Inventory | undefined;
  readonly systemNamespace: string;
  readonly installNamespace: string | undefined;
  readonly mayAdopt: boolean;
  readonly isUpgrade: boolean;
  readonly crdSafety: CrdSafety;
  readonly signal: AbortSignal;
  readonly onLooked?: (done: number, total: number) => void;
}

const parallelRequests = 8;

function textOf(thrown: unknown): string {
  if (thrown instanceof TransientError || thrown instanceof TerminalError) return errorMessage(thrown);
  throw thrown;
}

async function readLive(request: PreviewRequest, ref: ObjectRef): Promise<KubeObject | undefined> {
  return await findObject(request.kube, ref, { signal: request.signal });
}

interface Looking extends TakeoverContext {
  readonly request: PreviewRequest;
  readonly comingNamespaces: ReadonlySet<string>;
  readonly blockers: string[];
}

/** The server's result for an object, by dry run. */
async function look(looking: Looking, object: KubeObject): Promise<ObjectChange> {
  const { request, comingNamespaces, blockers } = looking;
  const { kube, signal } = request;
  const ref = refOf(object);
  const before = await readLive(request, ref);
  try {
    const problem = before === undefined ? undefined : await ownershipProblem(looking, before);
    if (problem !== undefined) blockers.push(problem.message);
    const { object: after } = await kube.apply(object, { fieldManager, force: true, isDryRun: true, signal });
    const unsafe = before !== undefined && isCrd(object) ? await crdProblem(looking, after) : undefined;
    if (unsafe !== undefined) blockers.push(unsafe.message);
    return { ref, before, after, manifest: object };
  } catch (thrown) {
    signal.throwIfAborted();
    const isComing = comingNamespaces.has(object.metadata.namespace ?? '');
    if (!isNotFound(thrown) || !isComing) blockers.push(`${describeRef(ref)}: ${textOf(thrown)}`);
    return { ref, before, after: object };
  }
}

async function lookAtAll(request: PreviewRequest, plan: Plan): Promise<Pick<Preview, 'changes' | 'blockers'>> {
  const namespaces = request.objects.filter(isNamespace).map(({ metadata }) => metadata.name ?? '');
  const looking: Looking = {
    ...request,
    platform: request.kube,
    // Without a watch every CRD is read again.
    crds: { isUnchanged: () => false },
    request,
    comingNamespaces: new Set([...namespaces, request.installNamespace ?? '']),
    blockers: [],
  };
  let done = 0;
  const changes = await mapLimit(plan.objects, parallelRequests, async (object) => {
    const change = await look(looking, object);
    done += 1;
    request.onLooked?.(done, plan.objects.length);
    return change;
  });
  const coming = plan.deferred.map((object) => {
    const after = ownedBy(object, request.owner, object.metadata.namespace);
    return { ref: refOf(object), before: undefined, after };
  });
  return { changes: [...changes, ...coming], blockers: looking.blockers };
}

async function previewRest(request: PreviewRequest, plan: Plan): Promise<Pick<Preview, 'changes' | 'kept'>> {
  if (request.recorded === undefined) return { changes: [], kept: [] };
  const brought = new Set([...plan.objects, ...plan.deferred].map(keyOf));
  const installed = await listInstalled(request, request.owner.name, request.recorded);
  const rest = installed.filter((object) => !brought.has(refKey(refOf(object)))).toReversed();
  const changes = await mapLimit(
    rest.filter(({ metadata }) => !isRetained(metadata)),
    parallelRequests,
    async (object) => {
      const ref = refOf(object);
      return { ref, before: await readLive(request, ref), after: undefined };
    },
  );
  return {
    changes: changes.filter(({ before }) => before !== undefined),
    kept: rest.filter(({ metadata }) => isRetained(metadata)).map(refOf),
  };
}

/** What installing `objects` for `owner` would change, found out by dry runs with the engine's own field manager; writes nothing.
 *  @throws what reading throws; what speaks against the installation is in `blockers` */
export async function previewInstall(request: PreviewRequest): Promise<Preview> {
  const { systemNamespace, installNamespace } = request;
  let plan: Plan;
  try {
    plan = await makePlan({ ...request, defaultNamespace: installNamespace ?? systemNamespace }, request.objects);
  } catch (thrown) {
    request.signal.throwIfAborted();
    return { changes: [], kept: [], blockers: [textOf(thrown)] };
  }
  const { changes, blockers } = await lookAtAll(request, plan);
  const rest = await previewRest(request, plan);
  return { changes: [...changes, ...rest.changes], kept: rest.kept, blockers };
}
