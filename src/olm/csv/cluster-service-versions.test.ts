import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../../apiserver/index.ts';
import { crd, csv, deployment, group, installModes } from '../../../test/olm/objects.ts';
import { eventually } from '../../../test/support/index.ts';
import type { ClusterServiceVersion } from '../../api/index.ts';
import { type JsonObject, silentLogger, systemClock } from '../../base/index.ts';
import { createManager, type Manager } from '../../controller/index.ts';
import { createKubeClient, isNotFound, type KubeClient, type KubeObject, loadClusterAccess } from '../../kube/index.ts';
import { createMetrics, type Metrics } from '../../metrics/index.ts';
import { addClusterServiceVersions } from './controller.ts';

const user = { fieldManager: 'test' };
const csvKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
const groupKind = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' };
const installed = [
  'Pending/RequirementsUnknown',
  'InstallReady/AllRequirementsMet',
  'Installing/InstallSucceeded',
  'Succeeded/InstallSucceeded',
];

let server: ApiServer;
/** Of the test. */
let kube: KubeClient;
/** Of the controller, whose requests are counted. */
let own: KubeClient;
let metrics: Metrics;
let manager: Manager;
const stop = new AbortController();

beforeAll(async () => {
  server = await startApiServer({ crds: ['crds/olm'] });
  const access = await loadClusterAccess({ text: server.kubeconfig });
  metrics = createMetrics();
  kube = createKubeClient({ access, clock: systemClock });
  own = createKubeClient({ access, clock: systemClock, metrics });
  manager = createManager({ kube: own, clock: systemClock, log: silentLogger(), metrics, signal: stop.signal });
  addClusterServiceVersions(manager);
  await manager.start();
});

afterAll(async () => {
  stop.abort();
  await manager.whenStopped();
  own.close();
  kube.close();
  await server.stop();
});

/** Objects of a test have names of their own. */
class World {
  readonly #id: string;

  constructor(id: string) {
    this.#id = id;
  }

  place(namespace = 'a'): string {
    return `${this.#id}-${namespace}`;
  }

  #local(object: JsonObject): KubeObject {
    return JSON.parse(JSON.stringify(object).replaceAll('$id', this.#id)) as KubeObject;
  }

  async namespaces(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.place(name) } }, user);
    }
  }

  async create(...objects: readonly JsonObject[]): Promise<void> {
    for (const object of objects) await kube.create(this.#local(object), user);
  }

  /** A group whose targets are resolved. */
  async group(object: JsonObject = group(), targets: readonly string[] = ['a']): Promise<void> {
    const { metadata } = await kube.create(this.#local(object), user);
    const ref = { ...groupKind, name: metadata.name ?? '', namespace: metadata.namespace };
    const namespaces = targets.map((target) => (target === '' ? '' : this.place(target)));
    const status = { lastUpdated: new Date().toISOString().replace(/\.\d+/, ''), namespaces };
    await kube.patch(ref, { status }, { ...user, subresource: 'status' });
  }

  async csv(name = 'boat.v0.1.0', namespace = 'a'): Promise<ClusterServiceVersion> {
    return (await kube.get({ ...csvKind, name, namespace: this.place(namespace) })) as unknown as ClusterServiceVersion;
  }

  async patch(kind: typeof csvKind, name: string, patch: JsonObject): Promise<void> {
    await kube.patch({ ...kind, name, namespace: this.place() }, patch, user);
  }

  async delete(kind: typeof csvKind, name: string, namespace: string | undefined = 'a'): Promise<void> {
    await kube.delete({ ...kind, name, ...(namespace === '' ? {} : { namespace: this.place(namespace) }) });
  }

  async deployment(name = 'boat', namespace = 'a'): Promise<KubeObject> {
    return await kube.get({ ...deploymentKind, name, namespace: this.place(namespace) });
  }

  async reaches(phase: string, name = 'boat.v0.1.0', namespace = 'a'): Promise<ClusterServiceVersion> {
    return await eventually(async () => {
      const found = await this.csv(name, namespace);
      expect(`${found.status?.phase}/${found.status?.reason}`, found.status?.message).toBe(phase);
      return found;
    });
  }

  async isDeleted(name: string): Promise<void> {
    await eventually(async () => {
      await expect(this.csv(name)).rejects.toSatisfy(isNotFound);
    });
  }
}

function historyOf({ status }: ClusterServiceVersion): string[] {
  return (status?.conditions ?? []).map(({ phase, reason }) => `${phase}/${reason}`);
}

/** The history without what depends on how quickly Deployments become ready. */
function stepsOf(found: ClusterServiceVersion): string[] {
  return historyOf(found).filter((entry) => entry !== 'Installing/InstallWaiting');
}

async function world(id: string): Promise<World> {
  const created = new World(id);
  await created.namespaces('a');
  return created;
}

async function requestsSoFar(): Promise<number> {
  const { text } = await metrics.show();
  const lines = text.split('\n').filter((line) => line.startsWith('longshore_api_requests_total{'));
  return lines.filter((line) => !line.includes('watch')).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const succeeded = 'Succeeded/InstallSucceeded';

test('an operator with everything it needs passes through all phases, with few requests and none when idle', async () => {
  const at = await world('plain');
  await at.create(crd());
  await at.group();
  const before = await requestsSoFar();
  await at.create(csv({ annotations: { note: 'of the CSV' } }));
  const found = await at.reaches(succeeded);
  expect(stepsOf(found)).toEqual(installed);
  expect(found.status?.requirementStatus).toMatchObject([{ kind: 'CustomResourceDefinition', status: 'Present' }]);
  expect(found.metadata.annotations).toMatchObject({ 'olm.operatorGroup': 'group', 'olm.targetNamespaces': 'plain-a' });
  expect(Object.keys(found.metadata.labels ?? {}).map((key) => key.replace(/[0-9a-f]+$/, ''))).toEqual(['olm.api.']);
  const { metadata, spec } = await at.deployment();
  expect(metadata.labels).toMatchObject({ 'olm.owner': 'boat.v0.1.0', 'olm.managed': 'true' });
  expect(spec).toMatchObject({
    template: {
      metadata: { annotations: { note: 'of the CSV', 'olm.targetNamespaces': 'plain-a' } },
      spec: { containers: [{ env: [{ name: 'OPERATOR_CONDITION_NAME', value: 'boat.v0.1.0' }] }] },
    },
  });
  const used = await eventually(async () => {
    const one = await requestsSoFar();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await requestsSoFar()).toBe(one);
    return one;
  });
  // One for metadata, one for the group, four for the status, one for the Deployment, and four Events.
  expect(used - before).toBeLessThanOrEqual(11);
});

test('a Deployment that was deleted is created again', async () => {
  const at = await world('deleted');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  const { metadata } = await at.deployment();
  await at.delete(deploymentKind, 'boat');
  await eventually(async () => expect((await at.deployment()).metadata.uid).not.toBe(metadata.uid));
  const found = await at.reaches(succeeded);
  expect(stepsOf(found)).toEqual([
    ...installed,
    'Failed/ComponentUnhealthy',
    'Pending/NeedsReinstall',
    ...installed.slice(1),
  ]);
});

test('an edited install strategy is applied in place, and what it no longer lists is deleted', async () => {
  const at = await world('edited');
  await at.create(crd());
  await at.group();
  await at.create(csv({ install: { deployments: [deployment(), deployment('oar')] } }));
  await at.reaches(succeeded);
  const deployments = [deployment('boat', 'registry.example/boat:2')];
  await at.patch(csvKind, 'boat.v0.1.0', { spec: { install: { spec: { deployments } } } });
  await eventually(async () => {
    const { spec } = await at.deployment();
    expect(spec).toMatchObject({ template: { spec: { containers: [{ image: 'registry.example/boat:2' }] } } });
    await expect(at.deployment('oar')).rejects.toSatisfy(isNotFound);
  });
  const found = await at.reaches(succeeded);
  expect(stepsOf(found)).toEqual([...installed, 'InstallReady/ComponentUnhealthy', ...installed.slice(2)]);
});

test('the hash label and annotations of Pods are corrected, other Deployments are left alone', async () => {
  const at = await world('drift');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  const annotations = { 'olm.targetNamespaces': '' };
  await at.patch(deploymentKind, 'boat', { spec: { template: { metadata: { annotations } } } });
  await eventually(async () => {
    const { spec } = await at.deployment();
    expect(spec).toMatchObject({ template: { metadata: { annotations: { 'olm.targetNamespaces': 'drift-a' } } } });
  });
  await at.patch(deploymentKind, 'boat', { metadata: { labels: { 'olm.deployment-spec-hash': 'x' } } });
  await eventually(async () =>
    expect((await at.deployment()).metadata.labels?.['olm.deployment-spec-hash']).not.toBe('x'),
  );
  await at.reaches(succeeded);
});

test('three versions that replace one another leave the last one', async () => {
  const at = await world('chain');
  await at.create(crd());
  await at.group();
  await at.create(csv(), csv({ name: 'boat.v0.2.0', spec: { replaces: 'boat.v0.1.0' } }));
  await at.create(csv({ name: 'boat.v0.3.0', spec: { replaces: 'boat.v0.2.0' } }));
  const found = await at.reaches(succeeded, 'boat.v0.3.0');
  await at.isDeleted('boat.v0.1.0');
  await at.isDeleted('boat.v0.2.0');
  expect(stepsOf(found)).toEqual(installed);
  const { metadata } = await at.deployment();
  expect(metadata.ownerReferences?.map(({ name }) => name)).toEqual(['boat.v0.3.0']);
  expect((await metrics.show()).text).toMatch(/^csv_upgrade_count 2$/m);
});

test('an operator that may not be upgraded holds its successor', async () => {
  const at = await world('gate');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  const condition = { type: 'Upgradeable', status: 'False', reason: 'Busy', message: 'migrating' };
  await at.create({
    apiVersion: 'operators.coreos.com/v2',
    kind: 'OperatorCondition',
    metadata: { name: 'boat.v0.1.0', namespace: '$id-a' },
    spec: { overrides: [condition] },
  });
  await at.create(csv({ name: 'boat.v0.2.0', spec: { replaces: 'boat.v0.1.0' } }));
  const held = await at.reaches('Pending/OperatorConditionNotUpgradeable', 'boat.v0.2.0');
  expect(held.status?.message).toBe('operator is not upgradeable: the operator is not upgradeable: migrating');
  await at.reaches('Replacing/BeingReplaced');
  await at.patch({ apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition' }, 'boat.v0.1.0', {
    spec: { overrides: null },
  });
  await at.reaches(succeeded, 'boat.v0.2.0');
  await at.isDeleted('boat.v0.1.0');
});

test('a definition that is missing is waited for, and its deletion is noticed', async () => {
  const at = await world('definition');
  await at.group();
  await at.create(csv());
  const waiting = await at.reaches('Pending/RequirementsNotMet');
  expect(waiting.status?.requirementStatus).toMatchObject([{ status: 'NotPresent', message: 'CRD is not present' }]);
  await at.create(crd());
  await at.reaches(succeeded);
  const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  await at.delete(definition, 'boats.definition.example.com', '');
  const again = await at.reaches('Pending/RequirementsNotMet');
  expect(stepsOf(again).slice(-2)).toEqual(['Failed/RequirementsNotMet', 'Pending/RequirementsNotMet']);
  await at.create(crd());
  await at.reaches(succeeded);
});

test('without a group, and with two, an operator fails; with one it is installed', async () => {
  const at = await world('groups');
  await at.create(crd(), csv());
  expect(historyOf(await at.reaches('Failed/NoOperatorGroup'))).toEqual(['Failed/NoOperatorGroup']);
  await at.group();
  const found = await at.reaches(succeeded);
  expect(stepsOf(found)).toEqual(['Failed/NoOperatorGroup', ...installed]);
  await at.group(group({ name: 'other' }));
  await at.reaches('Failed/TooManyOperatorGroups');
  await at.delete(groupKind, 'other');
  await at.reaches(succeeded);
});

test('install modes that exclude the targets are refused, until they are edited', async () => {
  const at = await world('modes');
  await at.create(crd());
  await at.group();
  await at.create(csv({ spec: { installModes: installModes('AllNamespaces') } }));
  await at.reaches('Failed/UnsupportedOperatorGroup');
  await at.patch(csvKind, 'boat.v0.1.0', { spec: { installModes: installModes('OwnNamespace') } });
  await at.reaches(succeeded);
});

test('a group without targets installs nothing, and its annotation does not mean all namespaces', async () => {
  const at = await world('nothing');
  await at.create(crd());
  await at.group(group({ targets: [] }), []);
  await at.create(csv());
  const found = await at.reaches('Failed/NoTargetNamespaces');
  expect(found.metadata.annotations).not.toHaveProperty('olm.targetNamespaces');
});

test('of two groups with a common target, the later one may not provide the same API', async () => {
  const at = await world('conflict');
  await at.namespaces('b');
  await at.create(crd());
  await at.group(group({ namespace: 'b', targets: ['b'] }), ['b']);
  await at.create(csv({ namespace: 'b' }));
  await at.reaches(succeeded, 'boat.v0.1.0', 'b');
  await at.group(group({ targets: ['b'] }), ['b']);
  await at.create(csv());
  await at.reaches('Failed/InterOperatorGroupOwnerConflict');
  await at.delete(groupKind, 'group', 'b');
  await at.reaches(succeeded);
  await at.reaches('Failed/NoOperatorGroup', 'boat.v0.1.0', 'b');
});

test('two operators of a namespace do not own one definition, and the second fails without a loop', async () => {
  const at = await world('owner');
  await at.create(crd());
  await at.group();
  await at.create(csv());
  await at.reaches(succeeded);
  await at.create(csv({ name: 'ship.v0.1.0', install: { deployments: [deployment('ship')] } }));
  const found = await at.reaches('Failed/OwnerConflict', 'ship.v0.1.0');
  expect(historyOf(found)).toEqual(['Pending/RequirementsUnknown', 'Failed/OwnerConflict']);
  await at.delete(csvKind, 'boat.v0.1.0');
  await at.reaches(succeeded, 'ship.v0.1.0');
  await at.isDeleted('boat.v0.1.0');
});
