import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterVersionFieldManager } from '../../src/api/index.ts';
import { type Clock, type JsonObject, type Logger, silentLogger, systemClock } from '../../src/base/index.ts';
import { addClusterVersion, localSource, releaseVerification } from '../../src/cluster-version/index.ts';
import { createManager } from '../../src/controller/index.ts';
import { createKubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import type { Engine, EngineStart, Implementation } from './scenario.ts';

/** A second stands for a minute, as for the reference where operators are waited for. */
const speed = 60;
/** Four seconds. */
const minimumMs = 4_000 * speed;
/** Longer than a round and the retries of a task. */
const quietMs = 2_500;
/** A state that is not reached by then is taken as never reached. */
const stateLimitMs = 60_000;
const definitions = join(import.meta.dirname, '../../crds/cluster-version');

/** Time that passes faster. */
function fastClock(): Clock {
  const startMs = systemClock.now();
  return {
    now: () => startMs + (systemClock.now() - startMs) * speed,
    sleep: (ms, options) => systemClock.sleep(ms / speed, options),
  };
}

/** A kind that belongs to others, without a schema. */
function openDefinition(kind: string, plural: string): JsonObject {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.config.openshift.io`, annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
    spec: {
      group: 'config.openshift.io',
      scope: 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
    },
  };
}

async function startEngine(
  { kubeconfigPath, workFolder, release, payloads }: EngineStart,
  log: Logger,
): Promise<Engine> {
  await using stack = new AsyncDisposableStack();
  const clock = fastClock();
  const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfigPath }), clock: systemClock });
  stack.defer(() => kube.close());
  const stop = new AbortController();
  const manager = createManager({ kube, clock, log, signal: stop.signal });
  addClusterVersion(manager, {
    initial: { version: release.version, image: release.image },
    sources: [localSource(new Map(payloads.map(({ image, folder }) => [image, folder])))],
    workDir: join(workFolder, 'work'),
    verify: releaseVerification({ kube, clock, log, access: {}, allowsUnsigned: false }),
    intervals: { minimumMs, random: () => 0 },
    // Real minutes: a busy machine is no slower for the fast clock.
    retrievalMs: 4 * 60_000 * speed,
    updates: { userAgent: 'longshore/test', promql: undefined, intervalMs: minimumMs },
  });
  stack.defer(async () => {
    stop.abort();
    await manager.whenStopped();
  });
  await manager.start();
  const owned = stack.move();
  return { assertAlive: () => Promise.resolve(), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Longshore's engine. */
export async function ours(log: Logger = silentLogger()): Promise<Implementation> {
  const names = (await readdir(definitions)).filter((name) => name.endsWith('.yaml')).toSorted();
  return {
    crds: [
      ...names.map((name) => join(definitions, name)),
      openDefinition('FeatureGate', 'featuregates'),
      openDefinition('APIServer', 'apiservers'),
    ],
    quietMs,
    stateLimitMs,
    isManager: (manager) => manager === clusterVersionFieldManager,
    start: (start) => startEngine(start, log),
  };
}
