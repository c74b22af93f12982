import { readFile } from 'node:fs/promises';
import { type JsonObject, parseYaml } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { type BareCluster, openBareCluster } from './bare-cluster.ts';
import { eventually } from './eventually.ts';

const user = { fieldManager: 'test' };
const namespaceKind = { apiVersion: 'v1', kind: 'Namespace' };

/** Starts an embedded API server with kinds of OLM, by their plural names. */
export async function openOlmCluster(plurals: readonly string[]): Promise<BareCluster> {
  const cluster = await openBareCluster();
  for (const plural of plurals) {
    const file = `crds/olm/operators.coreos.com_${plural}.yaml`;
    await cluster.kube.apply(parseYaml(file, await readFile(file, 'utf8')) as unknown as KubeObject, user);
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    await eventually(async () => {
      const live = await cluster.kube.get({ ...ref, name: `${plural}.operators.coreos.com` });
      const { conditions = [] } = (live['status'] ?? {}) as { conditions?: JsonObject[] };
      if (!conditions.some(({ type, status }) => type === 'Established' && status === 'True')) throw new Error(plural);
    });
  }
  return cluster;
}

/** Creates a namespace, until it is disposed with everything in it. */
export async function createNamespace({ kube }: BareCluster, name: string): Promise<AsyncDisposable> {
  await kube.create({ ...namespaceKind, metadata: { name } }, user);
  return {
    [Symbol.asyncDispose]: async () => {
      await kube.delete({ ...namespaceKind, name });
      await eventually(async () => {
        const { items } = await kube.list(namespaceKind);
        if (items.some(({ metadata }) => metadata.name === name)) throw new Error(`namespace ${name} is being deleted`);
      });
    },
  };
}
