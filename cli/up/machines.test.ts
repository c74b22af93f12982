import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineResource, machineSetResource } from '../../src/api/index.ts';
import { isJsonObject, type JsonObject, silentLogger } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { eventually } from '../../test/support/index.ts';
import { parseOptions } from '../command/index.ts';
import { readConfig, upOptions } from '../settings/index.ts';
import { type Platform, startPlatform } from './platform.ts';

const user = { fieldManager: 'test' };
const namespace = 'openshift-machine-api';
const machines = { ...machineResource, namespace };
const workers = { ...machineSetResource, namespace, name: 'workers' };

let platform: Platform;

beforeAll(async () => {
  const { values } = parseOptions(
    upOptions,
    ['--machines', '3', '--no-olm', '--no-examples', '--no-cluster-catalogs', '--log-level', 'silent'],
    {},
  );
  platform = await startPlatform(readConfig(values), { log: silentLogger() });
});

afterAll(() => platform[Symbol.asyncDispose]());

async function named(kind: string, place = ''): Promise<KubeObject[]> {
  const apiVersion = kind === 'Machine' ? machineResource.apiVersion : 'v1';
  return [...(await platform.kube.list({ apiVersion, kind, ...(place === '' ? {} : { namespace: place }) })).items];
}

const namesOf = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata.name ?? '');
const at = (object: KubeObject, part: 'spec' | 'status', key: string): unknown => {
  const parent = object[part];
  return isJsonObject(parent) ? parent[key] : undefined;
};

async function whenReady(count: number): Promise<string[]> {
  return await eventually(async () => {
    const { status } = await platform.kube.get(workers);
    expect(status).toMatchObject({ replicas: count, readyReplicas: count });
    const names = namesOf(await named('Machine', namespace));
    expect(names).toHaveLength(count);
    return names;
  });
}

async function createWeb(replicas: number): Promise<void> {
  const labels = { app: 'web' };
  const template: JsonObject = {
    metadata: { labels },
    spec: { containers: [{ name: 'web', image: 'example.org/web' }] },
  };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  await platform.kube.create(
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'default', name: 'web' }, spec },
    user,
  );
}

const nodesOfPods = async (): Promise<unknown[]> =>
  (await named('Pod', 'default')).map((pod) => at(pod, 'spec', 'nodeName'));

describe('machines of longshore up', { shuffle: false }, () => {
  test('become Nodes that run pods', async () => {
    const names = await whenReady(3);
    expect(namesOf(await named('Node'))).toEqual(expect.arrayContaining([...names, 'longshore']));
    await eventually(async () => {
      const found = await named('Machine', namespace);
      expect(found.map((machine) => at(machine, 'status', 'phase'))).toEqual(['Running', 'Running', 'Running']);
    });
    await createWeb(8);
    await eventually(async () => {
      const nodes = await nodesOfPods();
      expect(nodes).toHaveLength(8);
      for (const name of names) expect(nodes).toContain(name);
    });
  });

  test('one that is deleted is replaced, drained, and takes its Node with it; its pods run elsewhere', async () => {
    const [first = ''] = await whenReady(3);
    await platform.kube.delete({ ...machines, name: first });
    await eventually(async () => {
      expect(namesOf(await named('Node'))).not.toContain(first);
      expect(namesOf(await named('Machine', namespace))).not.toContain(first);
    });
    await whenReady(3);
    await eventually(async () => {
      const nodes = await nodesOfPods();
      expect(nodes).toHaveLength(8);
      expect(nodes).not.toContain(first);
    });
  });

  test('one that the set has too many goes when the set scales down', async () => {
    await platform.kube.patch(workers, { spec: { replicas: 1 } }, user);
    const [left = ''] = await whenReady(1);
    await eventually(async () => expect(new Set(namesOf(await named('Node')))).toEqual(new Set([left, 'longshore'])));
  });

  test('one that the provider refuses has failed, with the reason', async () => {
    const { metadata } = (await named('Machine', namespace))[0] as KubeObject;
    const spec = { providerSpec: { value: { failCreate: 'InvalidConfiguration' } } };
    const { apiVersion, kind } = machineResource;
    await platform.kube.create(
      {
        apiVersion,
        kind,
        metadata: {
          namespace,
          name: 'odd',
          labels: {
            'machine.openshift.io/cluster-api-cluster':
              metadata.labels?.['machine.openshift.io/cluster-api-cluster'] ?? '',
          },
        },
        spec,
      },
      user,
    );
    await eventually(async () =>
      expect((await platform.kube.get({ ...machines, name: 'odd' }))['status']).toMatchObject({
        phase: 'Failed',
        errorReason: 'InvalidConfiguration',
      }),
    );
  });

  test('a machine that has the name of another Node does not get it', async () => {
    const { apiVersion, kind } = machineResource;
    const labels = { 'machine.openshift.io/cluster-api-cluster': 'longshore' };
    const before = await platform.kube.get({ apiVersion: 'v1', kind: 'Node', name: 'longshore' });
    await platform.kube.create(
      { apiVersion, kind, metadata: { namespace, name: 'longshore', labels }, spec: { providerSpec: { value: {} } } },
      user,
    );
    const machine = await eventually(async () => {
      const found = await platform.kube.get({ ...machines, name: 'longshore' });
      expect(at(found, 'spec', 'providerID')).toBeDefined();
      return found;
    });
    await platform.kube.delete({ ...machines, name: machine.metadata.name ?? '' });
    await eventually(async () => expect(namesOf(await named('Machine', namespace))).not.toContain('longshore'));
    const after = await platform.kube.get({ apiVersion: 'v1', kind: 'Node', name: 'longshore' });
    expect(after.metadata.uid).toBe(before.metadata.uid);
  });
});
