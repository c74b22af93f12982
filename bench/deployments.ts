import { mapLimit, systemClock } from '../src/base/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../src/kube/index.ts';
import { eventually, type Registry, startRegistry } from '../test/support/index.ts';
import { startChild } from './child.ts';
import type { Figure } from './table.ts';

const deploymentCount = 200;
const objectCount = 5;
const apiVersion = 'core.rukpak.io/v1alpha1';
const plainClass = 'core-rukpak-io-plain';

interface PlatformFacts {
  readonly requestCount: number;
  readonly peakBytes: number;
}

function push(registry: Registry, index: number): string {
  const documents = Array.from({ length: objectCount }, (_, at) => {
    const metadata = `{name: bench-${index}-${at}, namespace: default}`;
    return `apiVersion: v1\nkind: ConfigMap\nmetadata: ${metadata}\ndata: {index: "${index}"}\n`;
  });
  registry.putImage(`bench-${index}:v1`, [{ files: { 'manifests/all.yaml': documents.join('---\n') } }]);
  return `${registry.host}/bench-${index}:v1`;
}

function deployment(index: number, ref: string): KubeObject {
  const template = { spec: { provisionerClassName: plainClass, source: { type: 'image', image: { ref } } } };
  const spec = { provisionerClassName: plainClass, template };
  return { apiVersion, kind: 'BundleDeployment', metadata: { name: `bench-${index}` }, spec };
}

function isInstalled(object: KubeObject): boolean {
  const status = object['status'] as { conditions?: readonly { type: string; status: string }[] } | undefined;
  return status?.conditions?.some(({ type, status: value }) => type === 'Installed' && value === 'True') === true;
}

async function whenAllInstalled(kube: KubeClient): Promise<void> {
  await eventually(
    async () => {
      const { items } = await kube.list({ apiVersion, kind: 'BundleDeployment' });
      const count = items.filter(isInstalled).length;
      if (count < deploymentCount) throw new Error(`${count} of ${deploymentCount} are installed`);
    },
    { timeoutMs: 300_000, intervalMs: 200 },
  );
}

/** Time until all are installed, requests of the platform to its API server, and memory of its process. */
export async function measureDeployments(): Promise<Figure[]> {
  await using registry = await startRegistry();
  const indexes = Array.from({ length: deploymentCount }, (_, index) => index);
  const references = indexes.map((index) => push(registry, index));
  await using child = startChild('platform-child.ts');
  const { kubeconfig } = await child.next<{ kubeconfig: string }>();
  const kube = createKubeClient({ access: await loadClusterAccess({ text: kubeconfig }), clock: systemClock });
  const facts = (): Promise<PlatformFacts> => {
    child.send('facts');
    return child.next<PlatformFacts>();
  };
  try {
    const before = await facts();
    const startedMs = performance.now();
    await mapLimit(indexes, 8, (index) =>
      kube.create(deployment(index, references[index] ?? ''), { fieldManager: 'bench' }),
    );
    await whenAllInstalled(kube);
    const seconds = (performance.now() - startedMs) / 1000;
    const after = await facts();
    const perDeployment = (after.requestCount - before.requestCount) / deploymentCount;
    return [
      { what: 'created to all Installed', value: `${seconds.toFixed(1)} s` },
      { what: 'requests to the API server per deployment', value: perDeployment.toFixed(1) },
      { what: 'peak memory of the process', value: `${(after.peakBytes / 2 ** 20).toFixed(0)} MiB` },
    ];
  } finally {
    kube.close();
  }
}
