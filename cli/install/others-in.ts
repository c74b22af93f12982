import { ownSecretNames } from '../../src/api/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { listIfServed } from './deletion.ts';

/** What a cluster puts into every namespace. */
const clusterOwn =
  /^(kube-root-ca\.crt|openshift-service-ca\.crt|default-token-.+|(default|builder|deployer)-dockercfg-.+)$/;
/** Of kinds that users would miss. */
const missedKinds: readonly { readonly apiVersion: string; readonly kind: string }[] = [
  ...['Secret', 'ConfigMap', 'Service', 'PersistentVolumeClaim'].map((kind) => ({ apiVersion: 'v1', kind })),
  ...['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) => ({ apiVersion: 'apps/v1', kind })),
  ...['Job', 'CronJob'].map((kind) => ({ apiVersion: 'batch/v1', kind })),
];

/** Objects of other owners in the namespace. */
export async function othersIn(kube: KubeClient, namespace: string): Promise<string[]> {
  const found: string[] = [];
  for (const target of missedKinds) {
    const items = await listIfServed(kube, { ...target, namespace });
    const others = items.filter(({ metadata: { name = '', labels, ownerReferences } }) => {
      const isOwn = labels?.['app.kubernetes.io/part-of'] === 'longshore' || ownSecretNames.includes(name);
      return !isOwn && !clusterOwn.test(name) && ownerReferences === undefined;
    });
    found.push(...others.map(({ metadata }) => `${target.kind} ${metadata.name ?? ''}`));
  }
  return found;
}
