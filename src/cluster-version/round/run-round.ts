import { type Clock, errorMessage } from '../../base/index.ts';
import {
  type ApplyMode,
  buildTaskGraph,
  type ClusterChoices,
  type ManifestKey,
  omissionOf,
  type ReleaseManifest,
  type ReleaseTask,
  type TaskNode,
} from '../../release/index.ts';
import { type ApplyContext, applyTask, precreateOperators } from '../apply/apply-task.ts';
import { failureOfTask } from '../failures/api-failure.ts';
import { combineFailures, UpdateFailure } from '../failures/update-failure.ts';
import { maxTryPauseMs, type TaskTries } from './intervals.ts';
import { runGraph } from './run-graph.ts';

/** One pass over a release. */
export interface RoundRequest {
  readonly manifests: readonly ReleaseManifest[];
  readonly choices: ClusterChoices;
  readonly mode: ApplyMode;
  readonly context: ApplyContext;
  readonly tries: TaskTries;
  /** Called after each manifest that is done. */
  readonly onDone: (done: number, task: ReleaseTask) => void;
}

/** What became of a pass. */
export interface RoundResult {
  readonly done: number;
  readonly total: number;
  /** Whether every manifest is as desired. */
  readonly isComplete: boolean;
  /** Undefined without one, and when the round was ended from outside. */
  readonly failure: UpdateFailure | undefined;
}

const isNamespace = ({ kind, group }: ManifestKey): boolean => kind === 'Namespace' && group === '';

/** Namespaces that this round creates. What is in them need not wait for its next try. */
class Namespaces {
  readonly #pending = new Map<string, PromiseWithResolvers<void>>();

  constructor(manifests: readonly ReleaseManifest[]) {
    for (const { key } of manifests) if (isNamespace(key)) this.#pending.set(key.name, Promise.withResolvers());
  }

  created({ manifest: { key } }: ReleaseTask): void {
    if (!isNamespace(key)) return;
    this.#pending.get(key.name)?.resolve();
    this.#pending.delete(key.name);
  }

  /** Resolves when the namespace of the task is created; undefined when it was, and when this round does not create it. */
  pendingOf({ manifest: { key } }: ReleaseTask): Promise<void> | undefined {
    return this.#pending.get(key.namespace)?.promise;
  }
}

/** A task whose time is over fails with what its last try failed with. */
async function tryTask(
  task: ReleaseTask,
  { context, mode, tries }: RoundRequest,
  namespaces: Namespaces,
): Promise<void> {
  const { count, firstMs, factor } = mode.kind === 'Initializing' ? tries.installing : tries.usual;
  const { clock, signal }: { clock: Clock; signal: AbortSignal } = context;
  for (let attempt = 1, pauseMs = firstMs; ; attempt += 1, pauseMs *= factor) {
    try {
      return await applyTask(context, task);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof UpdateFailure || attempt === count) throw failureOfTask(task, thrown);
      const pause = clock.sleep(Math.min(pauseMs, maxTryPauseMs), { signal }).catch(() => {
        throw failureOfTask(task, thrown);
      });
      const namespace = namespaces.pendingOf(task);
      await (namespace === undefined ? pause : Promise.race([pause, namespace]));
    }
  }
}

/** Since when an object is waited for counts from its first check that fails. */
function noteWait({ waits, clock }: ApplyContext, { effect, names }: UpdateFailure): void {
  if (effect === 'Fail' || effect === undefined) return;
  for (const name of names) waits.begin(name, clock.now());
}

/** Applies a release once, in the order of its graph.
 *  @see docs/spec/cluster-version.md#running */
export async function runRound(request: RoundRequest): Promise<RoundResult> {
  const { manifests, choices, mode, context, onDone } = request;
  const { signal } = context;
  const reported: UpdateFailure[] = [];
  const namespaces = new Namespaces(manifests);
  let done = 0;
  const runNode = async (node: TaskNode): Promise<void> => {
    const tasks = node.tasks.filter(({ manifest }) => omissionOf(manifest, choices) === undefined);
    await precreateOperators(context, tasks);
    for (const task of tasks) {
      signal.throwIfAborted();
      try {
        await tryTask(task, request, namespaces);
        namespaces.created(task);
      } catch (thrown) {
        if (!(thrown instanceof UpdateFailure)) throw thrown;
        if (thrown.effect !== 'Report') {
          noteWait(context, thrown);
          throw thrown;
        }
        reported.push(thrown);
      }
      done += 1;
      onDone(done, task);
    }
  };
  const { errors } = await runGraph(buildTaskGraph(manifests, mode), runNode, signal);
  const failures = errors.filter((thrown) => !signal.aborted || thrown instanceof UpdateFailure).map(asFailure);
  const failure = combineFailures([...failures, ...reported]);
  return { done, total: manifests.length, isComplete: errors.length === 0 && reported.length === 0, failure };
}

function asFailure(thrown: unknown): UpdateFailure {
  if (thrown instanceof UpdateFailure) return thrown;
  return new UpdateFailure('UpdatePayloadFailed', errorMessage(thrown), { cause: thrown });
}
