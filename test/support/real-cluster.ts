import { systemClock } from '../../src/base/index.ts';
import { createKubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import { findControlPlane, startControlPlane } from '../control-plane/index.ts';
import type { BareCluster } from './bare-cluster.ts';

/** Whether tests run on a real control plane: LONGSHORE_TEST_CLUSTER=kube. */
export function isRealCluster(): boolean {
  return process.env['LONGSHORE_TEST_CLUSTER'] === 'kube';
}

/** A real control plane, of which nothing is simulated. */
export async function openRealCluster(): Promise<BareCluster & { readonly kubeconfig: string }> {
  const binaries = await findControlPlane({ mayBuild: false, report: () => undefined });
  if ('missing' in binaries) throw new Error(`there is no real kube-apiserver: ${binaries.missing}`);
  const plane = await startControlPlane(binaries);
  const kube = createKubeClient({ access: await loadClusterAccess({ text: plane.kubeconfig }), clock: systemClock });
  return {
    kube,
    kubeconfig: plane.kubeconfig,
    [Symbol.asyncDispose]: async () => {
      kube.close();
      await plane[Symbol.asyncDispose]();
    },
  };
}
