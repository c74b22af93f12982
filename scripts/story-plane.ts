import { findControlPlane } from '../test/control-plane/index.ts';

/** Where the stories of test/e2e find a real control plane, or why there is none; `environment` makes them use it. */
export async function findStoryPlane(): Promise<
  { readonly origin: string; readonly environment: NodeJS.ProcessEnv } | { readonly missing: string }
> {
  const binaries = await findControlPlane({ mayBuild: true, report: console.log });
  if ('missing' in binaries) return { missing: `there is no real kube-apiserver: ${binaries.missing}` };
  if (binaries.kubeControllerManager === undefined) {
    return { missing: `${binaries.origin} has no kube-controller-manager, which the stories need` };
  }
  return { origin: binaries.origin, environment: { ...process.env, LONGSHORE_TEST_CLUSTER: 'kube' } };
}
