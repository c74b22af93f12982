import { createInterface } from 'node:readline';
import { parseJson } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';

/** One event of a watch. */
export interface Sighting {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

const watched = [
  { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle' },
  { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
] as const;

/** Shows every change of Bundles, BundleDeployments and ConfigMaps from now on, the moment it is seen, until the signal fires or the
 *  server has stopped. Resolves when the watches are open. */
export async function watchChanges(
  kube: KubeClient,
  signal: AbortSignal,
  onSighting: (sighting: Sighting) => void,
): Promise<void> {
  for (const target of watched) {
    const { resourceVersion } = await kube.list(target);
    const body = await kube.openWatch(target, { resourceVersion, timeoutSeconds: 300, signal });
    body.on('error', () => undefined);
    createInterface({ input: body })
      .on('error', () => undefined)
      .on('line', (line) => {
        const { type, object } = parseJson('event', line) as unknown as Sighting;
        onSighting({ type, object: { ...object, kind: target.kind } });
      });
  }
}
