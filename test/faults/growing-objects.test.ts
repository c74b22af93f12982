/** @module-tag long */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { Connection } from '../conformance/connection.ts';
import { eventually } from '../support/index.ts';
import { startServer } from './server-process.ts';

const path = '/apis/example.com/v1/namespaces/default/blobs';
const json = { 'content-type': 'application/json' };
const manyColumns = Array.from({ length: 400 }, (_, index) => ({
  name: `c${index}`,
  type: 'string',
  jsonPath: '.filling',
}));

/** A kind without a schema, all of whose columns show the same field. */
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'blobs.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'blobs', singular: 'blob', kind: 'Blob', listKind: 'BlobList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        additionalPrinterColumns: manyColumns,
      },
    ],
  },
};

async function startWithBlob(): Promise<{ readonly connection: Connection } & AsyncDisposable> {
  const server = await startApiServer({ crds: [definition as unknown as KubeObject] });
  const connection = new Connection(server.kubeconfig);
  const body = JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Blob', metadata: { name: 'blob' } });
  await eventually(async () =>
    expect((await connection.ask({ method: 'POST', path, headers: json, body })).status).toBe(201),
  );
  return {
    connection,
    [Symbol.asyncDispose]: async () => {
      connection[Symbol.dispose]();
      await server.stop();
    },
  };
}

test('an object does not grow without end, whatever patches add to it', async () => {
  await using world = await startWithBlob();
  const patch = async (type: string, body: unknown, query = ''): Promise<string> => {
    const headers = { 'content-type': `application/${type}` };
    const request = { method: 'PATCH', path: `${path}/blob${query}`, headers, body: JSON.stringify(body) };
    const { status, text } = await world.connection.ask(request);
    return status === 200 ? 'accepted' : text;
  };
  const filling = 'x'.repeat(2_000_000);
  expect(await patch('merge-patch+json', { filling })).toBe('accepted');
  expect(await patch('merge-patch+json', { more: filling })).toContain('etcdserver: request is too large');
  expect(await patch('json-patch+json', [{ op: 'copy', from: '/filling', path: '/more' }])).toContain('too large');
  const applied = { apiVersion: 'example.com/v1', kind: 'Blob', metadata: { name: 'blob' }, more: filling };
  expect(await patch('apply-patch+yaml', applied, '?fieldManager=a')).toContain('too large');
  expect(await patch('merge-patch+json', { filling: 'less' })).toBe('accepted');
});

test('a table in which many columns show the same large field is no larger than a few objects', async () => {
  await using world = await startWithBlob();
  const filling = 'x'.repeat(2_000_000);
  const headers = { 'content-type': 'application/merge-patch+json' };
  await world.connection.ask({ method: 'PATCH', path: `${path}/blob`, headers, body: JSON.stringify({ filling }) });
  const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const { status, raw } = await world.connection.ask({ method: 'GET', path, headers: { accept } });
  expect(status).toBe(200);
  expect(raw.length).toBeLessThan(5_000_000);
});

test('a large object that is changed again and again does not fill a small heap with its former states', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-history-'));
  try {
    await using server = await startServer(folder, ['env', 'NODE_OPTIONS=--max-old-space-size=160']);
    const templates = '/api/v1/namespaces/default/podtemplates';
    const write = async (method: string, place: string, change: number): Promise<number> => {
      const containers = [{ name: 'c', image: 'registry.example/c:1', args: [`${'x'.repeat(2_500_000)}${change}`] }];
      const object = { metadata: { name: 'a' }, template: { spec: { containers } } };
      return (await server.connection.ask({ method, path: place, headers: json, body: JSON.stringify(object) })).status;
    };
    expect(await write('POST', templates, 0)).toBe(201);
    for (let change = 1; change < 80; change += 1) expect(await write('PUT', `${templates}/a`, change)).toBe(200);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
