import { setTimeout as pause } from 'node:timers/promises';
import { apiVersion, parseBundleDeployment, testAnnotation } from '../../../src/api/index.ts';
import { formatTimestamp, printable, sha256Digest, systemClock, TerminalError } from '../../../src/base/index.ts';
import { conditionsOf, type KubeClient, type KubeObject, type ObjectRef } from '../../../src/kube/index.ts';
import { openKube, parseTarget } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { createProgress, type Progress } from '../../output/index.ts';
import type { timeoutOption } from '../options.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof timeoutOption>;

const pollMs = 300;

interface Wait {
  readonly ref: ObjectRef;
  /** Digest of what was requested. */
  readonly revision: string;
  readonly timeoutMs: number;
  readonly progress: Progress;
}

function testedOf(deployment: KubeObject) {
  return conditionsOf(deployment).find(({ type }) => type === 'Tested');
}

/** What the tests wait for; undefined when they have ended. */
function waitedFor(deployment: KubeObject, revision: string): string | undefined {
  const { tests } = parseBundleDeployment(deployment).status?.record ?? {};
  if (tests?.revision !== revision) return 'Waiting until the chart is installed';
  return tests.phase === 'Done' ? undefined : (testedOf(deployment)?.message ?? 'Waiting for the tests');
}

async function whenTested(kube: KubeClient, { ref, revision, timeoutMs, progress }: Wait): Promise<KubeObject> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const found = await kube.get(ref);
    const waitingFor = waitedFor(found, revision);
    if (waitingFor === undefined) return found;
    progress.show(printable(waitingFor));
    if (performance.now() > endMs) {
      const text = `bundledeployment "${ref.name}": the tests did not end in time: ${waitingFor}`;
      throw new TerminalError('Timeout', text);
    }
    await pause(pollMs);
  }
}

/** `longshore test NAME`: 1 when a test failed, there are none, or they do not end in time. */
export async function test(values: Values, [text]: readonly [string]): Promise<number> {
  const target = parseTarget(text, ['BundleDeployment']);
  using kube = await openKube(values);
  const ref = { apiVersion, ...target };
  const requested = `${formatTimestamp(systemClock.now())} ${crypto.randomUUID()}`;
  const patch = { metadata: { annotations: { [testAnnotation]: requested } } };
  await kube.patch(ref, patch, { fieldManager: 'longshore' });
  using progress = createProgress(process.stderr, { isQuiet: false });
  const wait = { ref, revision: sha256Digest(requested), timeoutMs: values.timeout, progress };
  const condition = testedOf(await whenTested(kube, wait));
  if (condition?.status === 'True') {
    process.stdout.write(`bundledeployment.core.rukpak.io "${target.name}" tested: ${condition.message}\n`);
    return 0;
  }
  throw new TerminalError('TestsFailed', `bundledeployment "${target.name}": ${condition?.message ?? 'no result'}`);
}
