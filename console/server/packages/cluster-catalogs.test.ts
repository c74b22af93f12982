import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/index.ts';
import { openTestConsole, type TestConsole } from '../../../test/support/console.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { PackageList } from '../wire.ts';

const image = `registry.example.com/catalog@sha256:${'0'.repeat(64)}`;
const commands: string[][] = [];
let opened: TestConsole;

function described(name: string): object {
  const owned = [
    { name: 'gauges.tide.example.com', kind: 'Gauge', version: 'v1', specDescriptors: [{ path: 'size' }] },
  ];
  const csv = {
    metadata: { name: `${name}.v1.0.0`, annotations: { capabilities: 'Basic Install' } },
    spec: { displayName: 'Tide Gauge', version: '1.0.0', customresourcedefinitions: { owned } },
  };
  const entries = [{ name: `${name}.v1.0.0`, version: '1.0.0' }];
  return {
    name,
    defaultChannel: 'stable',
    channelNames: ['beta', 'stable'],
    channels: [{ name: 'stable', entries, csv }],
  };
}

async function putCatalog(name: string, ref: string): Promise<void> {
  const object = {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name },
    spec: { source: { type: 'Image', image: { ref: 'registry.example.com/catalog:v1' } } },
  };
  const created = await opened.kube.create(object as KubeObject, { fieldManager: 'test' });
  const status = { resolvedSource: { type: 'Image', image: { ref } } };
  await opened.kube.update({ ...created, status } as KubeObject, { fieldManager: 'test', subresource: 'status' });
}

beforeAll(async () => {
  opened = await openTestConsole({
    crds: ['crds'],
    runCommand: ({ args }) => {
      commands.push([...args]);
      if (args[2]?.includes('broken') === true) {
        return Promise.resolve({
          exitCode: 1,
          stdout: '',
          stderr: 'longshore: registry.example.com does not answer\n',
        });
      }
      return Promise.resolve({ exitCode: 0, stdout: JSON.stringify([described('tide-gauge')]), stderr: '' });
    },
  });
  await putCatalog('shop', image);
});

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

describe('packages of ClusterCatalogs', { shuffle: false }, () => {
  test('packages of ClusterCatalogs are listed beside those of CatalogSources, and content is read once for a digest', async () => {
    const visitor = await opened.administrator();
    const list = await eventually(async () => {
      const found = (await (await visitor.send('/api/packages')).json()) as PackageList;
      expect(found.rows).toHaveLength(1);
      return found;
    });
    expect(list).toMatchObject({
      unread: [],
      rows: [
        {
          name: 'tide-gauge',
          catalog: 'shop',
          catalogNamespace: '',
          title: 'Tide Gauge',
          version: '1.0.0',
          capability: 'Basic Install',
          apis: ['Gauge'],
          channels: ['beta', 'stable'],
        },
      ],
    });
    await (await opened.administrator()).send('/api/packages');
    expect(commands).toEqual([['catalog', 'describe', image, '-o', 'json']]);
  });

  test('a package has its channels, and the descriptors of its definitions', async () => {
    const visitor = await opened.administrator();
    const response = await visitor.send('/api/catalog-packages/-/shop/tide-gauge');
    const { status } = (await response.json()) as { status: { channels: Record<string, unknown>[] } };
    expect(status.channels.map(({ name, currentCSV }) => [name, currentCSV])).toEqual([
      ['beta', undefined],
      ['stable', 'tide-gauge.v1.0.0'],
    ]);
    expect(JSON.stringify(status)).toContain('specDescriptors');
    expect(commands.at(-1)).toEqual(['catalog', 'describe', image, 'tide-gauge', '-o', 'json']);
  });

  test('a catalog that cannot be read is named with the reason, and the others are listed', async () => {
    await putCatalog('rubble', `registry.example.com/broken@sha256:${'1'.repeat(64)}`);
    const visitor = await opened.administrator();
    await eventually(async () => {
      const found = (await (await visitor.send('/api/packages')).json()) as PackageList;
      expect(found.unread).toEqual([{ catalog: 'rubble', why: 'registry.example.com does not answer' }]);
      expect(found.rows).toHaveLength(1);
    });
  });

  test('a catalog without a digest, and names that are paths, are not read', async () => {
    const before = commands.length;
    await putCatalog('fresh', '../../etc/passwd');
    const visitor = await opened.administrator();
    expect((await visitor.send('/api/catalog-packages/-/fresh/tide-gauge')).status).toBe(409);
    expect((await visitor.send('/api/catalog-packages/-/shop/..%2fx')).status).toBe(400);
    expect((await visitor.send('/api/catalog-packages/-/none/tide-gauge')).status).toBe(404);
    expect(commands).toHaveLength(before);
  });
});
