import type { JsonObject } from '../../src/base/index.ts';
import { eventually } from './eventually.ts';
import {
  clusterVersion,
  conditionText,
  createClusterVersion,
  type EngineOptions,
  operatorManifest,
  type ReleaseCluster,
  reportOperator,
  runEngine,
} from './release-cluster.ts';
import { type ReleaseContent, writeRelease } from './release-files.ts';

/** A ConfigMap in the namespace of the releases of tests. */
export function settings(name: string, value: string, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'quay', ...metadata }, data: { value } };
}

/** A release of a namespace and the given manifests; its folder. */
export async function smallRelease(
  { folder }: ReleaseCluster,
  version: string,
  manifests: ReleaseContent['manifests'],
): Promise<string> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quay' } };
  const all = { '0000_05_quay_00_namespace.yaml': namespace, ...manifests };
  return await writeRelease(`${folder}/${version}`, { version, manifests: all });
}

/** The manifest of an operator `quay` at a level, by the name of its file. */
export function operatorAt(level: string, name: string, version: string): Record<string, JsonObject> {
  return { [`0000_${level}_${name}_90_operator.yaml`]: operatorManifest(name, version) };
}

/** Waits until the cluster is at a version. */
export async function untilAt(
  { kube }: Pick<ReleaseCluster, 'kube'>,
  version: string,
  patience?: Parameters<typeof eventually>[1],
): Promise<void> {
  await eventually(async () => {
    const current = await clusterVersion(kube);
    const text = conditionText(current, 'Progressing');
    if (text === `False Cluster version is ${version}`) return;
    const waits = JSON.stringify(current.status?.progress?.waitingFor);
    throw new Error(`expected ${version}, found ${text ?? 'nothing'}: ${waits}`);
  }, patience);
}

/** Waits until a condition is as expected. */
export async function untilCondition({ kube }: ReleaseCluster, type: string, expected: string | RegExp): Promise<void> {
  await eventually(async () => {
    const text = conditionText(await clusterVersion(kube), type) ?? '';
    const isMet = typeof expected === 'string' ? text === expected : expected.test(text);
    if (!isMet) throw new Error(`${type}: expected ${String(expected)}, found ${text}`);
  });
}

/** An engine on a cluster that has a release completely; operators report as soon as they exist. */
export async function installed(
  cluster: ReleaseCluster,
  options: EngineOptions & { readonly first: string; readonly operators?: readonly string[] },
): Promise<AsyncDisposable> {
  await createClusterVersion(cluster.kube);
  const engine = await runEngine(cluster, options);
  for (const name of options.operators ?? []) {
    await eventually(() => reportOperator(cluster.kube, name, { version: options.first }));
  }
  await untilAt(cluster, options.first);
  return engine;
}
