/** @module-tag long */
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeMessage, messageOfKind, openEnvelope } from '../../apiserver/protobuf/index.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const objectBytes = 1_000_000;
const objects = 40;
const mebibyte = 1024 * 1024;
const meta = 'g=meta.k8s.io;v=v1';

let folder: string;
let server: ServerProcess;

const fillingOf = (turn: number): string => String(turn % 10).repeat(objectBytes);
const nameOf = (turn: number): string => `big-${String(turn).padStart(2, '0')}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-lists-'));
  // The smallest heap that may hold the objects: what lists need beside them has to fit between 40 MB and this.
  server = await startServer(folder, ['env', 'NODE_OPTIONS=--max-old-space-size=200']);
  const headers = { 'content-type': 'application/json' };
  for (let turn = 0; turn < objects; turn += 1) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: nameOf(turn) } };
    const body = JSON.stringify({ ...object, data: { filling: fillingOf(turn) } });
    expect((await server.connection.ask({ method: 'POST', path: collection, headers, body })).status).toBe(201);
  }
});

afterAll(async () => {
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

function open(headers: Readonly<Record<string, string>>, query = ''): Promise<IncomingMessage> {
  return server.connection.open({ method: 'GET', path: `${collection}${query}`, headers });
}

interface ListedObject {
  readonly metadata: { readonly name: string };
  readonly data?: { readonly filling: string };
}

function expectAll(items: readonly ListedObject[]): void {
  const own = items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
  expect(own.map(({ metadata }) => metadata.name)).toEqual(Array.from({ length: objects }, (_, turn) => nameOf(turn)));
  for (const [turn, { data }] of own.entries()) expect(data?.filling === fillingOf(turn)).toBe(true);
}

test.each([
  ['as JSON', {}],
  ['indented', { 'user-agent': 'curl/8' }],
  ['compressed', { 'accept-encoding': 'gzip' }],
])('a list of 40 MB is sent whole %s', async (_how, headers) => {
  const response = await open(headers);
  const bytes = await buffer(response);
  const isCompressed = response.headers['content-encoding'] === 'gzip';
  const text = (isCompressed ? gunzipSync(bytes) : bytes).toString();
  expectAll((JSON.parse(text) as { items: ListedObject[] }).items);
});

test('a list of 40 MB is sent whole as protobuf', async () => {
  const response = await open({ accept: 'application/vnd.kubernetes.protobuf' });
  const { raw, ...envelope } = openEnvelope(await buffer(response));
  expect(envelope).toEqual({ apiVersion: 'v1', kind: 'ConfigMapList' });
  const codec = messageOfKind('v1', 'ConfigMapList');
  if (codec === undefined) throw new Error('ConfigMapList has no message');
  expectAll(decodeMessage(codec, raw, Number.POSITIVE_INFINITY)['items'] as unknown as ListedObject[]);
});

test('a table of 40 MB is sent whole', async () => {
  const response = await open({ accept: `application/json;as=Table;${meta}` }, '?includeObject=Object');
  const { rows } = JSON.parse((await buffer(response)).toString()) as { rows: { object: ListedObject }[] };
  expectAll(rows.map(({ object }) => object));
});

test('six large lists at once, in any form and however slowly they are read, are not in memory', async () => {
  const forms = [{}, { 'accept-encoding': 'gzip' }, { accept: 'application/vnd.kubernetes.protobuf' }];
  const before = await server.residentBytes();
  const responses = await Promise.all(Array.from({ length: 6 }, (_, turn) => open(forms[turn % 3] ?? {})));
  // None of them has been read: as a whole they have 240 MB.
  expect(((await server.residentBytes()) - before) / mebibyte).toBeLessThan(190);
  const bodies = await Promise.all(responses.map((response) => buffer(response)));
  expect(bodies.filter((body, turn) => turn % 3 !== 1 && body.length < objects * objectBytes)).toEqual([]);
});
