/** @module-tag long */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, hasCorpus } from '../../test/support/index.ts';
import { prepareRealRelease, releaseObjects, writeRealRelease } from '../../test/support/real-release.ts';
import {
  clusterVersion,
  conditionText,
  createClusterVersion,
  openReleaseCluster,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
  runEngine,
  runOperators,
} from '../../test/support/release-cluster.ts';
import type { JsonObject } from '../base/index.ts';
import { type KubeClient, type KubeObject, refKey, refOf } from '../kube/index.ts';

/** Versions of the objects of a release, as they are. */
async function versionsOf(kube: KubeClient, documents: readonly JsonObject[]): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  for (const document of documents) {
    const ref = refOf(document as unknown as KubeObject);
    const live = await kube.get(ref).catch(() => undefined);
    if (live !== undefined) versions.set(refKey(ref), live.metadata.resourceVersion ?? '');
  }
  return versions;
}

/** The update of 325 objects, on a slow machine. */
const longMs = 240_000;
const unhurried = { minimumMs: 60_000, random: () => 0 };

describe.skipIf(!hasCorpus)('ten real components (skipped without the corpus)', () => {
  let cluster: ReleaseCluster;
  let stack: AsyncDisposableStack;

  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    cluster = stack.use(await openReleaseCluster({ simulation: true }));
    await prepareRealRelease(cluster.kube);
  });

  afterEach(() => stack.disposeAsync());

  async function untilAt(version: string): Promise<void> {
    const hasVersion = async (): Promise<void> => {
      const current = await clusterVersion(cluster.kube);
      expect(conditionText(current, 'Failing')).toBe('False');
      expect(conditionText(current, 'Progressing')).toBe(`False Cluster version is ${version}`);
    };
    await eventually(hasVersion, { timeoutMs: longMs });
  }

  test('are installed and updated, and an unchanged round writes nothing', { timeout: 3 * longMs }, async () => {
    const { kube, folder } = cluster;
    const releases = {
      '4.22.0': await writeRealRelease(join(folder, 'a'), '4.22.0'),
      '4.22.1': await writeRealRelease(join(folder, 'b'), '4.22.1'),
    };
    await createClusterVersion(kube);
    const operators = await runOperators(kube, releaseObjects(releases['4.22.0']));
    const engine = await runEngine(cluster, { releases, first: '4.22.0', intervals: unhurried });
    stack.use(engine);
    await untilAt('4.22.0');
    await operators[Symbol.asyncDispose]();
    stack.use(await runOperators(kube, releaseObjects(releases['4.22.1'])));
    await patchSpec(kube, { desiredUpdate: { image: releaseImage('4.22.1') } });
    await untilAt('4.22.1');
    expect((await clusterVersion(kube)).status?.history).toMatchObject([
      { state: 'Completed', version: '4.22.1' },
      { state: 'Completed', version: '4.22.0' },
    ]);
    await engine[Symbol.asyncDispose]();
    const applied = new Map<string, string | undefined>();
    const counted: KubeClient = {
      ...kube,
      apply: async (object, options) => {
        const answer = await kube.apply(object, options);
        applied.set(refKey(refOf(object)), answer.object.metadata.resourceVersion);
        return answer;
      },
    };
    const before = await versionsOf(kube, releaseObjects(releases['4.22.1']));
    stack.use(await runEngine({ ...cluster, kube: counted }, { releases }));
    await eventually(() => expect(applied.size).toBeGreaterThan(300), { timeoutMs: longMs });
    const changed = [...applied].filter(([key, version]) => before.get(key) !== version).map(([key]) => key);
    expect(changed).toEqual([]);
  });
});
