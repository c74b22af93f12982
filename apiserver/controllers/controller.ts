import { isJsonObject, type JsonObject, type JsonValue, type Logger } from '../../src/base/index.ts';
import {
  type Cluster,
  type ClusterEvent,
  type KubeObject,
  type ListChoice,
  type ResourceType,
  StatusError,
  type WriteOptions,
} from '../core/index.ts';
import { WorkQueue } from './work-queue.ts';

/** What all controllers are given. */
export interface ControllerContext {
  readonly cluster: Cluster;
  readonly log: Logger;
}

/** One controller: which keys an event concerns, and what is done for a key. `work` reads all it needs itself and is idempotent. */
export interface Controller {
  readonly name: string;
  /** Called synchronously with every event, and at the start with `ADDED` for everything that is there. */
  keysOf(event: ClusterEvent): Iterable<string>;
  work(key: string): Promise<void>;
  /** For a controller whose keys do not begin with the namespace that they are of. */
  namespaceOf?(key: string): string;
  /** For a controller that must know everything that is there: called once it has all been shown, and done before the first `work`. */
  prepare?(): Promise<void>;
  /** For the keys that `PendingChanges` answers, `namespace/`: the keys of the objects of a namespace that its changes concern. */
  concernedIn?(namespace: string): Promise<readonly string[]>;
  /** For a controller that also looks at keys by the clock: called once at the start, with what has a key worked on. Disposed of at the end. */
  start?(again: (key: string) => void): Disposable;
}

/** What `list` of a cluster gives, read while others have their turn. */
export async function listInTurns(cluster: Cluster, type: ResourceType, choice: ListChoice): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const object of cluster.eachInTurns(type, choice)) found.push(object);
  return found;
}

function codeOf(thrown: unknown): number | undefined {
  return thrown instanceof StatusError ? thrown.failure.code : undefined;
}

/** Whether a write failed because another client changed or deleted the object first: requeue. */
function isRace(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === 404 || code === 409;
}

/** Runs a write; ignores that the object does not exist any more. */
export async function ignoreNotFound(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (thrown) {
    if (codeOf(thrown) !== 404) throw thrown;
  }
}

/** The type of a built-in resource.
 *  @throws Error when the server does not have it */
export function typeOf(cluster: Cluster, plural: string, group = ''): ResourceType {
  const type = cluster.resource(group, plural);
  if (type === undefined) throw new Error(`resource ${plural}.${group} is not served`);
  return type;
}

/** `spec`, or an empty object. */
export function specOf(object: KubeObject): JsonObject {
  return isJsonObject(object.spec) ? object.spec : {};
}

/** `status`, or an empty object. */
export function statusOf(object: KubeObject): JsonObject {
  return isJsonObject(object.status) ? object.status : {};
}

/** The objects of a list; anything else in it is left out. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? (value as JsonValue[]).filter(isJsonObject) : [];
}

/** Whether the object is being deleted and this finalizer is among what keeps it. */
export function isHeldBy(object: KubeObject | undefined, finalizer: string): object is KubeObject {
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {};
  return deletionTimestamp !== undefined && finalizers.includes(finalizer);
}

/** Takes one finalizer off an object, unless the object changed or went meanwhile.
 *  @throws StatusError 409 when it changed */
export async function dropFinalizer(
  cluster: Cluster,
  target: { readonly type: ResourceType; readonly object: KubeObject; readonly finalizer: string },
  options: WriteOptions,
): Promise<void> {
  const { namespace = '', name = '', finalizers = [], resourceVersion = null } = target.object.metadata;
  const kept = finalizers.filter((other) => other !== target.finalizer);
  const metadata = { finalizers: kept.length === 0 ? null : kept, resourceVersion };
  await ignoreNotFound(cluster.patch(target.type, { namespace, name }, { metadata }, options));
}

/** How much is looked at, and how long, before others have a turn. */
const scanSlice = 1000;
const scanSliceMs = 50;

function* everything(cluster: Cluster): Generator<ClusterEvent> {
  for (const resource of cluster.resources()) {
    for (const object of cluster.each(resource)) yield { type: 'ADDED', resource, object, previous: undefined };
  }
}

interface Scan extends Disposable {
  /** Resolves with whether everything has been shown; it has not if the scan was disposed of before. */
  readonly isDone: Promise<boolean>;
}

/** Shows all that is there, some at once and the rest bit by bit, so that a large store does not hold up the server. */
function scan(context: ControllerContext, take: (event: ClusterEvent) => void): Scan {
  const events = everything(context.cluster);
  const { promise: isDone, resolve: end } = Promise.withResolvers<boolean>();
  let isOver = false;
  const step = (): void => {
    const endMs = performance.now() + scanSliceMs;
    for (let count = 0; count < scanSlice && !isOver && performance.now() < endMs; count += 1) {
      const next = events.next();
      if (next.done === true) isOver = true;
      else take(next.value);
    }
    if (isOver) end(true);
    else setImmediate(step);
  };
  step();
  return {
    isDone,
    [Symbol.dispose]: () => {
      isOver = true;
      end(false);
    },
  };
}

/** Prepares a controller for its work; answers whether there is to be any. */
function prepared(controller: Controller): (isShown: boolean) => Promise<boolean> {
  return async (isShown) => {
    if (isShown) await controller.prepare?.();
    return isShown;
  };
}

/** Starts controllers: first everything that is there, then every event, both once for all of them. Ends after the work at hand. */
export function runControllers(
  context: ControllerContext,
  controllers: readonly Controller[],
  workers = 4,
): AsyncDisposable {
  const { cluster, log } = context;
  const { promise: isShown, resolve: endScan } = Promise.withResolvers<boolean>();
  const running = controllers.map((controller) => {
    const isPrepared = controller.prepare === undefined ? true : isShown.then(prepared(controller));
    const work = async (key: string): Promise<void> => {
      if (isPrepared !== true && !(await isPrepared)) return;
      if (controller.concernedIn === undefined || !key.endsWith('/')) return await controller.work(key);
      for (const concerned of await controller.concernedIn(key.slice(0, -1))) queue.add(concerned);
    };
    const { name } = controller;
    const own =
      controller.namespaceOf === undefined ? {} : { namespaceOf: (key: string) => controller.namespaceOf?.(key) ?? '' };
    const queue = new WorkQueue({ name, workers, log, work, isExpected: isRace, ...own });
    return { controller, queue };
  });
  const take = (event: ClusterEvent): void => {
    for (const { controller, queue } of running) for (const key of controller.keysOf(event)) queue.add(key);
  };
  const starts = running.map(({ controller, queue }) => controller.start?.((key) => queue.add(key)));
  const subscription = cluster.subscribe(take);
  const scanning = scan(context, take);
  endScan(scanning.isDone);
  return {
    [Symbol.asyncDispose]: async () => {
      scanning[Symbol.dispose]();
      subscription[Symbol.dispose]();
      for (const start of starts) start?.[Symbol.dispose]();
      await Promise.all(running.map(({ queue }) => queue[Symbol.asyncDispose]()));
    },
  };
}
