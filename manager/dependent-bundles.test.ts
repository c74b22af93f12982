import { expect, test } from 'vitest';
import { startApiServer } from '../apiserver/index.ts';
import { bundleResource, hasDependenciesLabel } from '../src/api/index.ts';
import { silentLogger, systemClock } from '../src/base/index.ts';
import { createManager } from '../src/controller/index.ts';
import { createKubeClient, type KindCache, type KubeObject, loadClusterAccess } from '../src/kube/index.ts';
import { eventually } from '../test/support/index.ts';
import { watchDependentBundles } from './dependent-bundles.ts';

const bundle: KubeObject = {
  ...bundleResource,
  metadata: { name: 'a', labels: { [hasDependenciesLabel]: 'true' } },
  spec: { provisionerClassName: 'core-rukpak-io-plain', source: { type: 'upload', upload: {} } },
};

test('Bundles with dependencies are found in the cache of the controllers while these run, and by an own watch otherwise', async () => {
  await using stack = new AsyncDisposableStack();
  const server = await startApiServer({ simulation: false, crds: ['crds/core.rukpak.io_bundles.yaml'] });
  stack.defer(() => server.stop());
  const access = await loadClusterAccess({ text: server.kubeconfig });
  const [kube, closed] = [
    createKubeClient({ access, clock: systemClock }),
    createKubeClient({ access, clock: systemClock }),
  ];
  stack.defer(() => kube.close());
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const runtime = { clock: systemClock, log: silentLogger(), signal: stop.signal };
  const manager = createManager({ ...runtime, kube });
  const bundles = manager.cache(bundleResource);
  await bundles.whenSynced;
  // This client could not watch.
  closed.close();
  const signal = AbortSignal.timeout(30_000);
  let shared: KindCache | undefined = bundles;
  const byCache = watchDependentBundles({ ...runtime, kube: closed, sharedBundles: () => shared });
  expect(await byCache({ signal })).toBe(false);
  await kube.create(bundle, { fieldManager: 'test', signal });
  await eventually(async () => expect(await byCache({ signal })).toBe(true));
  shared = undefined;
  expect(await watchDependentBundles({ ...runtime, kube, sharedBundles: () => shared })({ signal })).toBe(true);
});
