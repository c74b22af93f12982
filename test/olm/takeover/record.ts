import { type JsonObject, systemClock } from '../../../src/base/index.ts';
import { createKubeClient, type KubeClient, loadClusterAccess } from '../../../src/kube/index.ts';
import type { OlmBinaries } from '../binaries.ts';
import { type ServedCatalogs, serveCatalogs } from '../catalogs.ts';
import { openCluster, type ScenarioCluster } from '../cluster.ts';
import { startPrograms } from '../oracle.ts';
import { type Action, slugOf } from '../scenario.ts';
import { writeRecorded } from './recorded.ts';
import { act, filler, untilQuiet } from './stage.ts';
import { readState } from './state.ts';
import { actions, catalogs, namespaces } from './world.ts';

/** Longer than two resyncs of OLM. */
const quietMs = 6_000;

/** The catalogs of the world on ports of their own. */
export async function serveWorld(): Promise<ServedCatalogs> {
  const documents = JSON.stringify(catalogs).replaceAll('$id', slugOf('takeover'));
  return await serveCatalogs(JSON.parse(documents) as Readonly<Record<string, readonly JsonObject[]>>);
}

/** A cluster on which the real OLM has installed operators. It runs no more. */
interface LeftCluster extends AsyncDisposable {
  readonly cluster: ScenarioCluster;
  readonly served: ServedCatalogs;
}

async function build(kube: KubeClient, served: ServedCatalogs): Promise<void> {
  const fill = filler(served.addresses);
  const created = namespaces.map(
    (name): Action => ({ apply: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `$id-${name}` } } }),
  );
  for (const action of [...created, ...actions]) await act(kube, fill(action));
}

/** Lets the real OLM install the operators of the world, and stops it. */
async function openLeftCluster(binaries: OlmBinaries): Promise<LeftCluster> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(
    await openCluster(binaries.crds, { isPackageServerRegistered: false, hasOwnPackages: true }),
  );
  const access = await loadClusterAccess({ path: cluster.kubeconfigPath });
  const kube = createKubeClient({ access, clock: systemClock });
  stack.defer(() => kube.close());
  const served = stack.use(await serveWorld());
  const read = async (): Promise<unknown> => [...(await readState(cluster.server.client))];
  {
    await using _programs = await startPrograms(binaries, cluster);
    await build(kube, served);
    await untilQuiet(read, quietMs);
  }
  const owned = stack.move();
  return { cluster, served, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Records what the real OLM leaves. */
export async function recordTakeover(binaries: OlmBinaries): Promise<void> {
  await using left = await openLeftCluster(binaries);
  const objects = [...(await readState(left.cluster.server.client)).values()];
  await writeRecorded({ atMs: Date.now(), addresses: Object.fromEntries(left.served.addresses), objects });
}
