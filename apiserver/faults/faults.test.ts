import { request as httpsRequest } from 'node:https';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../index.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ simulation: false });
});
afterEach(() => server.faults.clear());
afterAll(async () => {
  await server.stop();
});

const path = '/api/v1/namespaces/default/configmaps';

/** A request over the network: `cut` when the connection ended without an answer. */
async function ask(
  method: string,
  target: string,
  body?: unknown,
): Promise<{ code: number | 'cut'; text: string; retryAfter?: string | undefined }> {
  return await new Promise((resolve) => {
    const sent = httpsRequest(`${server.url}${target}`, {
      method,
      ca: server.caCertificatePem,
      agent: false,
      headers: { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' },
    });
    sent.on('error', () => resolve({ code: 'cut', text: '' }));
    sent.on('response', (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', () => resolve({ code: 'cut', text }));
      response.on('end', () =>
        resolve({ code: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] }),
      );
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const reference = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name });

test('an error meets the requests that match, as often as asked for', async () => {
  const fault = server.faults.add({ verbs: ['create'], resource: 'configmaps', error: 429, skip: 1, times: 1 });
  const codes = [];
  for (const name of ['one', 'two', 'three']) codes.push(await ask('POST', path, configMap(name)));
  expect(codes.map(({ code }) => code)).toEqual([201, 429, 201]);
  expect(codes[1]?.retryAfter).toBe('1');
  expect(fault.hits).toBe(1);
});

test('a write conflict speaks as a real one', async () => {
  server.faults.add({ verbs: ['update'], error: 409 });
  const { code, text } = await ask('PUT', `${path}/kept`, configMap('kept'));
  expect(code).toBe(409);
  expect(JSON.parse(text)).toMatchObject({ reason: 'Conflict', details: { name: 'kept', kind: 'configmaps' } });
});

test('a lost answer leaves the write done, a lost request leaves it undone', async () => {
  server.faults.add({ verbs: ['create'], name: '', drop: 'after', times: 1 });
  expect((await ask('POST', path, configMap('done'))).code).toBe('cut');
  expect(await server.client.find(reference('done'))).toBeDefined();
  server.faults.add({ verbs: ['create'], drop: 'before', times: 1 });
  expect((await ask('POST', path, configMap('undone'))).code).toBe('cut');
  expect(await server.client.find(reference('undone'))).toBeUndefined();
});

test('an answer can break off in the middle, when its write is done', async () => {
  server.faults.add({ verbs: ['create'], drop: 'midway', times: 1 });
  const { code, text } = await ask('POST', path, configMap('halved'));
  expect(code).toBe('cut');
  expect(text).toMatch(/^\{"kind":"ConfigMap"|^\{"apiVersion":"v1"/);
  expect(await server.client.find(reference('halved'))).toBeDefined();
});

test('a fault meets a share of the requests, the same ones for the same numbers', async () => {
  const numbers = [0.05, 0.5, 0.09, 0.1];
  server.faults.add({ error: 500, share: 0.1, random: () => numbers.shift() ?? 1 });
  const codes = [];
  for (let count = 0; count < 4; count += 1) codes.push((await ask('GET', path)).code);
  expect(codes).toEqual([500, 200, 500, 200]);
});

test('a delay holds the answer up', async () => {
  server.faults.add({ resource: 'configmaps', delayMs: 60 });
  const start = performance.now();
  expect((await ask('GET', path)).code).toBe(200);
  expect(performance.now() - start).toBeGreaterThanOrEqual(55);
});

test('a new watch gets an error for a version that is too old', async () => {
  server.faults.add({ verbs: ['watch'], error: 410, times: 1 });
  const { code, text } = await ask('GET', `${path}?watch=true&resourceVersion=1`);
  expect(code).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
});

test('open watches end, with or without an error', async () => {
  for (const error of [undefined, 410]) {
    const watch = ask('GET', `${path}?watch=true&fieldSelector=metadata.name%3Dnone`);
    const match = { resource: 'configmaps', ...(error === undefined ? {} : { error }) };
    while (server.faults.endWatches(match) === 0) await new Promise(setImmediate);
    const { code, text } = await watch;
    expect(code).toBe(200);
    expect(text.includes('"code":410')).toBe(error === 410);
  }
});

test('distinguishes dry runs and writes', async () => {
  server.faults.add({ verbs: ['create'], isDryRun: true, error: 500 });
  server.faults.add({ verbs: ['create'], isDryRun: false, error: 503 });
  const asked = [`${path}?dryRun=All`, path].map((target) => ask('POST', target, configMap('either')));
  expect((await Promise.all(asked)).map(({ code }) => code)).toEqual([500, 503]);
});

test('the second page of a list can be gone', async () => {
  server.faults.add({ verbs: ['list'], isContinued: true, error: 410 });
  const [first, second] = [await ask('GET', `${path}?limit=1`), await ask('GET', `${path}?limit=1&continue=x`)];
  expect([first.code, second.code]).toEqual([200, 410]);
});

test('the client within the process meets no fault', async () => {
  server.faults.add({ error: 500 });
  expect((await ask('GET', path)).code).toBe(500);
  await server.client.create(configMap('spared'));
});

test('a fault ends when it goes out of scope', async () => {
  {
    using _fault = server.faults.add({ error: 503 });
    expect((await ask('GET', path)).code).toBe(503);
  }
  expect((await ask('GET', path)).code).toBe(200);
});
