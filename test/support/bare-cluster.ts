import { startApiServer } from '../../apiserver/index.ts';
import { systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeClient, loadClusterAccess } from '../../src/kube/index.ts';

/** An embedded API server that nothing of ours runs on and that simulates no workloads, and its administrator's client. */
export interface BareCluster extends AsyncDisposable {
  readonly kube: KubeClient;
}

/** Starts one, in memory. */
export async function openBareCluster(): Promise<BareCluster> {
  const server = await startApiServer({ simulation: false });
  const kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
  return {
    kube,
    [Symbol.asyncDispose]: async () => {
      kube.close();
      await server.stop();
    },
  };
}
