import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServingCertificate, defaultContentLimits, silentLogger, systemClock } from '../../src/base/index.ts';
import { createManager, type Manager } from '../../src/controller/index.ts';
import { createKubeClient, type KubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import {
  addCatalogSources,
  addPackageRegistration,
  type CatalogSources,
  type CatalogSourcesOptions,
  startPackageServer,
} from '../../src/olm/index.ts';

/** The file with a CustomResourceDefinition of OLM, by its plural. */
export function olmCrd(plural: string): string {
  return new URL(`../../crds/olm/operators.coreos.com_${plural}.yaml`, import.meta.url).pathname;
}

/** Controllers of CatalogSources and PackageManifests on a cluster. */
export interface RunningCatalogs extends AsyncDisposable {
  readonly kube: KubeClient;
  readonly manager: Manager;
  readonly sources: CatalogSources;
}

/** Starts them as `longshore up` does: the package server listens on this machine, behind an ExternalName. Global catalogs are in the namespace `olm`. */
export async function startOlmCatalogs(
  kubeconfig: string,
  readers: CatalogSourcesOptions['readers'] = {},
): Promise<RunningCatalogs> {
  await using stack = new AsyncDisposableStack();
  const kube = createKubeClient({ access: await loadClusterAccess({ text: kubeconfig }), clock: systemClock });
  stack.defer(() => kube.close());
  const storeDir = await mkdtemp(join(tmpdir(), 'longshore-packages-'));
  stack.defer(() => rm(storeDir, { recursive: true, force: true }));
  const stopper = new AbortController();
  const log = silentLogger();
  const manager = createManager({ kube, clock: systemClock, log, signal: stopper.signal });
  const sources = await addCatalogSources(manager, {
    storeDir,
    globalNamespace: 'olm',
    settings: {
      limits: defaultContentLimits,
      insecureRegistries: [],
      registryCaPem: [],
      answerDeadlineMs: 10_000,
      platform: 'linux/amd64',
      deadlineMs: 60_000,
    },
    readTerms: () => Promise.resolve({ mirrors: undefined, policy: undefined }),
    readers,
  });
  const dnsNames = ['packages.kube-system.svc'];
  const serving = await createServingCertificate({ clock: systemClock, commonName: 'packages', dnsNames });
  const options = { kube, clock: systemClock, log, sources, serving, host: '127.0.0.1', port: 0 };
  const packages = stack.use(await startPackageServer(options));
  const service = { namespace: 'kube-system', name: 'packages', port: packages.port, externalName: 'localhost' };
  addPackageRegistration(manager, { service, serving });
  await manager.start();
  stack.defer(async () => {
    stopper.abort();
    await manager.whenStopped();
  });
  const done = stack.move();
  return { kube, manager, sources, [Symbol.asyncDispose]: () => done.disposeAsync() };
}
