import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.ts';
import { type JsonObject, objectAt } from '../../src/base/index.ts';
import { Connection } from '../conformance/connection.ts';
import { type CostlyKind, kindsOf } from './costs/kinds.ts';
import { leastOf } from './costs/least-objects.ts';
import type { Place } from './costs/places.ts';

/** Below three megabytes, whatever the items are; to compare each with each would take longer than a request may. */
const itemsOf: Readonly<Record<string, number>> = { ResourceQuota: 40_000, StorageClass: 8_000, Service: 15_000 };
const defaultItems = 10_000;
const maxBodyBytes = 3 * 1024 * 1024;
/** Lists and maps of all kinds, which take minutes. */
const isWhole = process.env['LONGSHORE_TEST_LISTS'] === 'all';

let server: ApiServer;
let connection: Connection;

beforeAll(async () => {
  server = await startApiServer();
  connection = new Connection(server.kubeconfig);
});

afterAll(async () => {
  connection[Symbol.dispose]();
  await server.stop();
});

async function answerTo(path: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const { status, raw } = await connection.ask({ method: 'POST', path: `${path}?dryRun=All`, headers, body });
  const isBounded = status < 500 && raw.length < 8 * 1024 * 1024;
  return isBounded ? 'bounded' : `${status} with ${raw.length} bytes`;
}

/** Metadata is the same in all kinds. */
function placesIn({ kind, places }: CostlyKind): readonly Place[] {
  const isUsual = kind === 'ConfigMap' || Object.hasOwn(itemsOf, kind);
  if (!isWhole && !isUsual) return [];
  return places.filter(({ path }) => kind === 'ConfigMap' || !path.startsWith('metadata'));
}

function filled({ apiVersion, kind }: CostlyKind, place: Place): JsonObject {
  const values = { count: itemsOf[kind] ?? defaultItems, isFull: true, isRepeated: false };
  const object = place.fill({ apiVersion, kind, ...leastOf(kind) }, values);
  return { ...object, metadata: { ...objectAt(object, 'metadata'), name: 'costly' } };
}

test('no list in an object costs the square of its items, and no answer is much larger than what it is about', {
  tags: 'long',
}, async () => {
  const found: string[] = [];
  for (const kind of await kindsOf(connection)) {
    for (const place of placesIn(kind)) {
      const body = JSON.stringify(filled(kind, place));
      if (body.length > maxBodyBytes) continue;
      const answer = await answerTo(kind.path.replace('{namespace}', 'default'), body);
      if (answer !== 'bounded') found.push(`${kind.apiVersion} ${kind.kind} ${place.path}: ${answer}`);
    }
  }
  expect(found).toEqual([]);
});

const podPath = '/api/v1/namespaces/default/pods';
const container = { name: 'c', image: 'registry.example/c:1' };
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const matchLabelKeys = many(45_000, (index) => `m-${index}`);
const mismatchLabelKeys = many(45_000, (index) => `o-${index}`);
const term = { topologyKey: 'zone', labelSelector: {}, matchLabelKeys, mismatchLabelKeys };

test('two lists of an object are not compared each with each', { tags: 'long' }, async () => {
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const spec = { containers: [container], affinity };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec };
  expect(await answerTo(podPath, JSON.stringify(object))).toBe('bounded');
});

test('a list in a change of an object is not compared with the former one each with each', {
  tags: 'long',
}, async () => {
  const tolerations = many(20_000, (index) => ({ key: `k-${index}`, operator: 'Exists', effect: 'NoExecute' }));
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [container] } };
  const ask = (request: string, body: unknown, type = 'application/json'): Promise<{ status: number }> => {
    const [method = '', path = ''] = request.split(' ');
    return connection.ask({ method, path, headers: { 'content-type': type }, body: JSON.stringify(body) });
  };
  expect((await ask(`POST ${podPath}`, { ...object, spec: { ...object.spec, tolerations } })).status).toBe(201);
  for (const value of many(4, String)) {
    const patch = { metadata: { labels: { value } } };
    expect((await ask(`PATCH ${podPath}/a`, patch, 'application/merge-patch+json')).status).toBe(200);
  }
});

test('a list in which every item needs something of its own is not read again for each of them', {
  tags: 'long',
}, async () => {
  const ports = many(15_000, (index) => ({ name: `p${index}`, port: index + 1 }));
  const spec = { type: 'NodePort', selector: { a: 'b' }, ports };
  const service = (name: string): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
  const path = '/api/v1/namespaces/default/services';
  const headers = { 'content-type': 'application/json' };
  // The first one has all node ports, the second looks for others.
  for (const name of ['costly-a', 'costly-b']) {
    expect((await connection.ask({ method: 'POST', path, headers, body: service(name) })).status).toBeLessThan(500);
  }
  await connection.ask({ method: 'DELETE', path: `${path}/costly-a`, headers });
  await connection.ask({ method: 'DELETE', path: `${path}/costly-b`, headers });
});

test('a limit of very many resources is not read again for each of them', { tags: 'long' }, async () => {
  const max = Object.fromEntries(many(30_000, (index) => [`example.com/r${index}`, '1']));
  const spec = { limits: [{ type: 'Container', max }] };
  const object = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'a' }, spec };
  const path = '/api/v1/namespaces/default/limitranges';
  expect(await answerTo(path, JSON.stringify(object))).toBe('bounded');
});

test('a pod whose containers get very many amounts from limits is refused', { tags: 'long' }, async () => {
  const max = Object.fromEntries(many(2000, (index) => [`example.com/r${index}`, '1']));
  const limits = '/api/v1/namespaces/default/limitranges';
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ metadata: { name: 'a' }, spec: { limits: [{ type: 'Container', max }] } });
  expect((await connection.ask({ method: 'POST', path: limits, headers, body })).status).toBe(201);
  const containers = many(1000, (index) => ({ ...container, name: `c-${index}` }));
  const pod = JSON.stringify({ metadata: { name: 'a' }, spec: { containers } });
  const { status, text } = await connection.ask({ method: 'POST', path: podPath, headers, body: pod });
  await connection.ask({ method: 'DELETE', path: `${limits}/a`, headers });
  expect(status).toBe(413);
  expect(text).toContain('6000 amounts for each of its 1000 containers');
});

test('constraints of a pod are not compared each with each', { tags: 'long' }, async () => {
  const topologySpreadConstraints = many(24_000, (index) => ({
    maxSkew: 1,
    topologyKey: `k${index}`,
    whenUnsatisfiable: 'DoNotSchedule',
  }));
  const spec = { containers: [container], topologySpreadConstraints };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec };
  expect(await answerTo(podPath, JSON.stringify(object))).toBe('bounded');
});

const quota = (hard: unknown, rest: unknown): string =>
  JSON.stringify({ metadata: { name: 'a' }, spec: { hard, ...(rest as object) } });
const quotaPath = '/api/v1/namespaces/default/resourcequotas';

test('the scopes of a quota are not compared with all of its limits each', { tags: 'long' }, async () => {
  const limits = Object.fromEntries(many(45_000, (index) => [`example.com/r${index}`, '1']));
  expect(await answerTo(quotaPath, quota(limits, { scopes: many(45_000, () => 'Terminating') }))).toBe('bounded');
});

test('scopes of a quota that do not suit its limits cost no memory for each pair of them', {
  tags: 'long',
}, async () => {
  const pages = Object.fromEntries(many(20_000, (index) => [`hugepages-${index + 1}Ki`, '1']));
  const expression = { scopeName: 'BestEffort', operator: 'Exists' };
  const selector = { scopeSelector: { matchExpressions: many(20_000, () => expression) } };
  expect(await answerTo(quotaPath, quota(pages, { scopes: many(20_000, () => 'BestEffort') }))).toBe('bounded');
  expect(await answerTo(quotaPath, quota(pages, selector))).toBe('bounded');
});
