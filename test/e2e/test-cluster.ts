import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiServerOptions, startApiServer } from '../../apiserver/index.ts';
import { type JsonObject, systemClock } from '../../src/base/index.ts';
import {
  createKubeClient,
  isKubeError,
  isNotFound,
  type KubeClient,
  type KubeObject,
  loadClusterAccess,
} from '../../src/kube/index.ts';
import { findControlPlane, startControlPlane } from '../control-plane/index.ts';
import { eventually } from '../support/index.ts';

/** The cluster that a test's platform works on. */
export interface TestCluster extends AsyncDisposable {
  /** Undefined where the platform brings its own. */
  readonly kubeconfigPath: string | undefined;
  /** Options of `longshore up` that choose it. */
  readonly args: readonly string[];
  /** Resolves when the API server asks our webhook: a real one learns of it a moment after it is registered. */
  whenGuarded(kube: KubeClient): Promise<void>;
}

/** Whether the tests run on a real control plane. */
export const isRealCluster: boolean = process.env['LONGSHORE_TEST_CLUSTER'] === 'kube';

const embedded: TestCluster = {
  kubeconfigPath: undefined,
  args: [],
  whenGuarded: async () => {},
  [Symbol.asyncDispose]: async () => {},
};

async function isGuarded(kube: KubeClient): Promise<boolean> {
  const git = { repository: 'https://example.com/x', ref: { branch: 'main' }, directory: '../x' };
  const source = { type: 'git', git };
  const spec = { provisionerClassName: 'core-rukpak-io-plain', source };
  const bundle = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', metadata: { name: 'guarded' }, spec };
  try {
    await kube.create(bundle as unknown as KubeObject, { fieldManager: 'test', isDryRun: true });
    return false;
  } catch (thrown) {
    return isKubeError(thrown) && thrown.message.includes('directory must define path');
  }
}

/** The status that a kubelet would report of a pod: a job's has succeeded, any other is ready, unless its owner is simulated to fail. */
function podStatus(pod: KubeObject, failing: ReadonlySet<string>): JsonObject {
  const owner = pod.metadata.ownerReferences?.[0];
  const isDone = owner?.kind === 'Job';
  const isReady = !isDone && !failing.has(owner?.uid ?? '');
  return {
    phase: isDone ? 'Succeeded' : 'Running',
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
  };
}

function hasStatus(pod: KubeObject, status: JsonObject): boolean {
  const { phase, conditions } = (pod['status'] ?? {}) as {
    phase?: string;
    conditions?: { type: string; status: string }[];
  };
  const condition = (status['conditions'] as { type: string; status: string }[])[0];
  return phase === status['phase'] && conditions?.find(({ type }) => type === 'Ready')?.status === condition?.status;
}

/** The ReplicaSets of Deployments that have the embedded server's annotation for failing. */
async function failingReplicaSets(kube: KubeClient, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const [deployments, sets] = await Promise.all(
    ['Deployment', 'ReplicaSet'].map((kind) => kube.list({ apiVersion: 'apps/v1', kind }, { signal })),
  );
  const isFailing = ({ metadata }: KubeObject): boolean =>
    metadata.annotations?.['apiserver.longshore.dev/simulate'] === 'fail';
  const failing = new Set(deployments?.items.filter(isFailing).map(({ metadata }) => metadata.uid));
  const isOfFailing = ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some(({ uid }) => failing.has(uid)) === true;
  return new Set(sets?.items.filter(isOfFailing).map(({ metadata }) => metadata.uid ?? ''));
}

/** A pod may have gone since it was listed. */
function ignoreNotFound(thrown: unknown): void {
  if (!isNotFound(thrown)) throw thrown;
}

/** Stands in for the kubelets that a control plane alone does not have. */
async function standInForKubelets(kube: KubeClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const failing = await failingReplicaSets(kube, signal);
    const pods = await kube.list({ apiVersion: 'v1', kind: 'Pod' }, { signal });
    for (const pod of pods.items) {
      const status = podStatus(pod, failing);
      if (hasStatus(pod, status)) continue;
      const { name = '', namespace } = pod.metadata;
      const ref = { apiVersion: 'v1', kind: 'Pod', name, namespace };
      const options = { fieldManager: 'kubelet', subresource: 'status', signal } as const;
      await kube.patch(ref, { status }, options).catch(ignoreNotFound);
    }
    await pause(100, undefined, { signal });
  }
}

/** Where the API server gets to what Services lead to. */
export interface ClusterNetwork {
  /** For a real API server: the socket of a proxy. */
  readonly clusterProxySocket: string;
  /** For the embedded one. */
  readonly resolveService: NonNullable<ApiServerOptions['resolveService']>;
}

async function openEmbedded(dir: string, { resolveService }: ClusterNetwork): Promise<TestCluster> {
  const kubeconfigPath = join(dir, 'cluster.kubeconfig');
  const server = await startApiServer({ resolveService, kubeconfigPath });
  return {
    ...embedded,
    kubeconfigPath,
    args: ['--cluster', kubeconfigPath],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The embedded API server, or, with LONGSHORE_TEST_CLUSTER=kube, a real control plane of its own; `dir` takes its kubeconfig. */
export async function openTestCluster(dir: string, network?: ClusterNetwork): Promise<TestCluster> {
  if (!isRealCluster) return network === undefined ? embedded : await openEmbedded(dir, network);
  const binaries = await findControlPlane({ mayBuild: false, report: () => undefined });
  if ('missing' in binaries) throw new Error(`there is no real kube-apiserver: ${binaries.missing}`);
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startControlPlane(binaries, network));
  const path = join(dir, 'cluster.kubeconfig');
  await writeFile(path, plane.kubeconfig, { mode: 0o600 });
  const kube = createKubeClient({ access: await loadClusterAccess({ path }), clock: systemClock });
  stack.defer(() => kube.close());
  const stop = new AbortController();
  const kubelets = standInForKubelets(kube, stop.signal).catch((thrown: unknown) => {
    if (!stop.signal.aborted) throw thrown;
  });
  stack.defer(async () => {
    stop.abort();
    await kubelets;
  });
  const owned = stack.move();
  return {
    kubeconfigPath: path,
    args: ['--cluster', path],
    whenGuarded: async (client) => {
      await eventually(async () => {
        if (!(await isGuarded(client))) throw new Error('the webhook is not asked yet');
      });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
