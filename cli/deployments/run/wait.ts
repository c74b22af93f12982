import { setTimeout as pause } from 'node:timers/promises';
import { clusterExtensionResource } from '../../../src/api/index.ts';
import { type JsonObject, objectAt, printableLine, TerminalError, textAt } from '../../../src/base/index.ts';
import { conditionsOf, findSame, type KubeClient, type KubeObject, refOf } from '../../../src/kube/index.ts';
import type { Progress } from '../../output/index.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

const pollMs = 300;
/** A failure may be over by the next try, as when another installation brings what is missing. */
const failureMs = 5_000;

export interface Waiting {
  readonly kube: KubeClient;
  readonly timeoutMs: number;
  readonly progress: Progress;
}

/** Where lines stay, a wait is worth one only when it takes long. */
const quietMs = 5_000;

/** Shows what is waited for: at once on a terminal, elsewhere as a line when the same is waited for a while. */
function reporter(progress: Progress): (text: string) => void {
  let [text, isShown, sinceMs] = ['', false, performance.now()];
  return (next) => {
    if (next !== text) [text, isShown, sinceMs] = [next, false, performance.now()];
    if (process.stderr.isTTY) return progress.show(printableLine(next));
    if (isShown || performance.now() - sinceMs < quietMs) return;
    isShown = true;
    progress.finish(printableLine(next));
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

function describe({ kind, metadata }: KubeObject): string {
  return `${kind.toLowerCase()} "${metadata.name}"`;
}

interface Look {
  readonly deployment: KubeObject;
  readonly signal: AbortSignal;
}

/** The deployment as it is now; undefined when it does not exist, or another one has its name. */
async function lookAt({ kube }: Waiting, { deployment, signal }: Look): Promise<KubeObject | undefined> {
  return await findSame(kube, refOf(deployment), { uid: deployment.metadata.uid, signal });
}

/** Asks `evaluate` about the deployment again and again: a text is what is still waited for, anything else the answer.
 *  @throws what `onTimeout` gives for the last text, when the time is over */
async function poll<T extends object>(
  waiting: Waiting,
  deployment: KubeObject,
  by: {
    readonly evaluate: (found: KubeObject | undefined) => T | string;
    readonly onTimeout: (text: string) => TerminalError;
  },
): Promise<T> {
  const startMs = performance.now();
  const signal = AbortSignal.timeout(waiting.timeoutMs + failureMs);
  const report = reporter(waiting.progress);
  for (;;) {
    const answer = by.evaluate(await lookAt(waiting, { deployment, signal }));
    if (typeof answer !== 'string') return answer;
    if (performance.now() - startMs > waiting.timeoutMs) throw by.onTimeout(answer);
    report(answer);
    await pause(pollMs);
  }
}

function notInstalled(deployment: KubeObject, text: string): TerminalError {
  const isFirst = textAt(objectAt(deployment as unknown as JsonObject, 'status'), 'activeBundle') === '';
  const ofDeployment = isFirst ? 'NotInstalled' : 'NotUpgraded';
  const reason = deployment.kind === clusterExtensionResource.kind ? 'ExtensionNotInstalled' : ofDeployment;
  return new TerminalError(reason, `${describe(deployment)} is not installed: ${text}`);
}

/** Waits until the BundleDeployment, as it was applied, is installed and healthy; or another object, whose outcome `read` gives.
 *  @throws TerminalError NotInstalled, or NotUpgraded where a version was installed before, with type, reason and message of the condition, when it
 *  failed or the time is over */
export async function whenInstalled(
  waiting: Waiting,
  deployment: KubeObject,
  read: (object: KubeObject, generation: number) => Outcome = outcomeOf,
): Promise<Extract<Outcome, { state: 'installed' }>> {
  const { generation = 1 } = deployment.metadata;
  let failedAtMs: number | undefined;
  let failure = '';
  const evaluate = (found: KubeObject | undefined): Extract<Outcome, { state: 'installed' }> | string => {
    if (found === undefined) throw notInstalled(deployment, 'it was deleted');
    const outcome = read(found, generation);
    if (outcome.state === 'installed') return outcome;
    if (outcome.state === 'waiting') {
      failedAtMs = undefined;
      return outcome.text;
    }
    failedAtMs ??= performance.now();
    failure = outcome.text;
    if (outcome.isFinal || performance.now() - failedAtMs > failureMs) throw notInstalled(deployment, failure);
    return 'waiting for the next try';
  };
  return await poll(waiting, deployment, {
    evaluate,
    onTimeout: (text) =>
      notInstalled(
        deployment,
        `timed out after ${seconds(waiting.timeoutMs)}: ${failedAtMs === undefined ? text : failure}`,
      ),
  });
}

/** The condition that reports a removal. */
function removalType({ kind }: KubeObject): string {
  return kind === clusterExtensionResource.kind ? 'Progressing' : 'Removing';
}

/** Waits until the object, which was deleted, and everything that it installed is deleted.
 *  @throws TerminalError NotDeleted, with what holds it, when the time is over */
export async function whenDeleted(waiting: Waiting, deployment: KubeObject): Promise<void> {
  const evaluate = (found: KubeObject | undefined): object | string => {
    if (found === undefined) return {};
    const removing = conditionsOf(found).find(({ type, status }) => type === removalType(found) && status === 'True');
    const finalizers = `finalizers ${found.metadata.finalizers?.join(', ') ?? ''}`;
    return removing === undefined ? `waiting for the ${finalizers}` : `${removing.message} (${finalizers})`;
  };
  await poll(waiting, deployment, {
    evaluate,
    onTimeout: (text) => {
      const why = `${describe(deployment)} is not deleted after ${seconds(waiting.timeoutMs)}: ${text}`;
      return new TerminalError('NotDeleted', why);
    },
  });
}
