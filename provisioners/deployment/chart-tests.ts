import { testAnnotation } from '../../src/api/index.ts';
import { errorMessage, sha256Digest, TransientError } from '../../src/base/index.ts';
import type { RenderedHook } from '../../src/formats/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { hooksOf } from '../chart-hooks/index.ts';
import type { TestRecord } from '../deployment-record.ts';
import { runPhase, saveHooks } from './hooked-install.ts';
import { load } from './load.ts';
import { type DeploymentRun, recordOf, setStatus } from './run.ts';

const event = 'test';

function report(
  run: DeploymentRun,
  reason: 'TestsRunning' | 'TestsSucceeded' | 'TestsFailed' | 'NoTests',
  message: string,
): void {
  const statuses = {
    TestsRunning: 'Unknown',
    TestsSucceeded: 'True',
    TestsFailed: 'False',
    NoTests: 'Unknown',
  } as const;
  setStatus(run, [{ type: 'Tested', status: statuses[reason], reason, message, isFresh: true }]);
}

async function testsOf(run: DeploymentRun, bundle: KubeObject, signal: AbortSignal): Promise<readonly RenderedHook[]> {
  const { hooks = [] } = await load(run, bundle, signal);
  return hooksOf(hooks, event);
}

async function beginTests(run: DeploymentRun, revision: string, signal: AbortSignal): Promise<TestRecord> {
  const before = recordOf(run).tests;
  if (before?.revision === revision) return before;
  return await saveHooks(run, { revision, event, phase: 'After', step: 0, objects: before?.objects ?? [] }, signal);
}

async function endTests(run: DeploymentRun, signal: AbortSignal): Promise<void> {
  const { tests } = recordOf(run);
  if (tests !== undefined) await saveHooks(run, { ...tests, phase: 'Done' }, signal);
}

/** Goes on with the tests of the installed chart that the annotation of the deployment requests: once for each of its values. */
export async function runTests(run: DeploymentRun, signal: AbortSignal): Promise<void> {
  const requested = run.object.metadata.annotations?.[testAnnotation];
  const { bundle } = run;
  if (requested === undefined || bundle === undefined) return;
  const { phase } = await beginTests(run, sha256Digest(requested), signal);
  if (phase === 'Done') return;
  const hooks = await testsOf(run, bundle, signal);
  if (hooks.length === 0) report(run, 'NoTests', 'The chart has no tests');
  else if (await isWaiting(run, hooks, signal)) return;
  await run.status.flush(run, signal);
  await endTests(run, signal);
}

/** Whether the tests go on; their result is reported. */
async function isWaiting(run: DeploymentRun, hooks: readonly RenderedHook[], signal: AbortSignal): Promise<boolean> {
  try {
    const waitingFor = await runPhase(run, { event, hooks }, signal);
    if (waitingFor === undefined) report(run, 'TestsSucceeded', `${hooks.length} of ${hooks.length} tests succeeded`);
    else report(run, 'TestsRunning', `Waiting for the ${waitingFor}`);
    return waitingFor !== undefined;
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof TransientError)) throw thrown;
    report(run, 'TestsFailed', errorMessage(thrown));
    return false;
  }
}
