import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, type KubeObject, type Manifest, startApiServer } from '../../apiserver/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import type { Implementation, Scenario } from './scenario.ts';

/** A cluster for one scenario: the kinds of the engine, its namespaces and a FeatureGate. */
export interface ScenarioCluster extends AsyncDisposable {
  readonly server: ApiServer;
  /** Is deleted with the cluster. */
  readonly folder: string;
  /** Where payloads are. */
  readonly payloadFolder: string;
  readonly kubeconfigPath: string;
}

/** Exist before the engine starts. */
export const engineNamespaces: readonly string[] = [
  'openshift-cluster-version',
  'openshift-config',
  'openshift-config-managed',
];

/** The engine stops itself where it finds no gates of its own version. */
function featureGateOf({ payloads, featureSet = '', enabledGates = [] }: Scenario): JsonObject {
  const versions = [...new Set(Object.values(payloads).map(({ version }) => version))];
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'FeatureGate',
    metadata: { name: 'cluster' },
    spec: featureSet === '' ? {} : { featureSet },
    status: {
      featureGates: versions.map((version) => ({
        version,
        enabled: enabledGates.map((name) => ({ name })),
        disabled: [],
      })),
    },
  };
}

/** None. Without the ConfigMaps the reference takes no cluster for upgradeable. */
function gatesUnlessIn({ hasGates = true }: Scenario): JsonObject[] {
  if (!hasGates) return [];
  const places = [
    { name: 'admin-gates', namespace: 'openshift-config-managed' },
    { name: 'admin-acks', namespace: 'openshift-config' },
  ];
  return places.map((metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata }));
}

async function createWithStatus({ client }: ApiServer, object: JsonObject): Promise<void> {
  const created = await client.create(object as unknown as KubeObject);
  const { status } = object;
  if (status !== undefined) await client.update({ ...created, status } as KubeObject, { subresource: 'status' });
}

/** Starts an embedded API server for a scenario. Its workloads become available by simulation. */
export async function openCluster(scenario: Scenario, crds: Implementation['crds']): Promise<ScenarioCluster> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'longshore-cluster-version-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const payloadFolder = join(folder, 'payloads');
  await mkdir(payloadFolder);
  const kubeconfigPath = join(folder, 'kubeconfig');
  const server = stack.use(await startApiServer({ crds: crds as readonly Manifest[], kubeconfigPath }));
  for (const name of engineNamespaces) {
    await server.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await createWithStatus(server, featureGateOf(scenario));
  for (const object of gatesUnlessIn(scenario)) await createWithStatus(server, object);
  for (const object of scenario.objects ?? []) await createWithStatus(server, object);
  const owned = stack.move();
  return { server, folder, payloadFolder, kubeconfigPath, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
