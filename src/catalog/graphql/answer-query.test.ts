import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { type JsonObject, silentLogger, textAt } from '../../base/index.ts';
import { type CatalogServer, startCatalogServer } from '../http/catalog-server.ts';
import type { Meta } from '../meta.ts';
import { buildCatalogIndex } from '../store/build-index.ts';
import { type CatalogIndex, openCatalogIndex } from '../store/catalog-index.ts';
import { createQueryAnswer } from './answer-query.ts';

let folder: string;
let index: CatalogIndex;
let large: CatalogIndex;
let servers: { readonly on: CatalogServer; readonly off: CatalogServer };

function meta(value: JsonObject): Meta {
  const [schema, packageName, name] = [textAt(value, 'schema'), textAt(value, 'package'), textAt(value, 'name')];
  return { schema, package: packageName, name, value, place: { file: 'catalog.yaml', line: 1 } };
}

const bundles = Array.from({ length: 120 }, (_, number) =>
  meta({
    schema: 'olm.bundle',
    package: 'p',
    name: `p.v${number}`,
    image: `registry.example/p:${number}`,
    'release-number': number,
    properties: [{ type: 'olm.package', value: { packageName: 'p', version: `${number}.0.0` } }],
  }),
);
const metas = [
  meta({ schema: 'olm.package', name: 'p', defaultChannel: 'stable', icon: { mediatype: 'x' } }),
  meta({ schema: 'olm.channel', package: 'p', name: 'stable', entries: [{ name: 'p.v1', skips: ['a', 'b'] }] }),
  ...bundles,
  meta({ schema: 'my.Schema', name: 'a', isGood: true, some_names: ['x', 'y'], ratio: 1.5, someNames: 'second' }),
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-graphql-'));
  await buildCatalogIndex(metas, join(folder, 'index'));
  index = openCatalogIndex(join(folder, 'index'), { name: 'shop' });
  await buildCatalogIndex([meta({ schema: 'large', name: 'a', text: 'x'.repeat(3_000_000) })], join(folder, 'large'));
  large = openCatalogIndex(join(folder, 'large'));
  const catalogOf = (name: string): CatalogIndex => (name === 'large' ? large : index);
  const options = { host: '127.0.0.1', port: 0, log: silentLogger(), catalogOf };
  const on = await startCatalogServer({ ...options, graphql: createQueryAnswer() });
  servers = { on, off: await startCatalogServer(options) };
});

afterAll(async () => {
  await servers.on[Symbol.asyncDispose]();
  await servers.off[Symbol.asyncDispose]();
  index[Symbol.dispose]();
  large[Symbol.dispose]();
  await rm(folder, { recursive: true });
});

async function post(
  body: string,
  { port }: CatalogServer = servers.on,
  name = 'shop',
): Promise<{ status: number; text: string }> {
  const reply = await fetch(`http://127.0.0.1:${port}/catalogs/${name}/api/v1/graphql`, { method: 'POST', body });
  return { status: reply.status, text: await reply.text() };
}

async function ask(query: string): Promise<unknown> {
  const { text } = await post(JSON.stringify({ query }));
  return JSON.parse(text) as unknown;
}

test('documents of each schema are asked for by a field, in pages', async () => {
  expect(await ask('{ olmpackages { name defaultChannel icon } }')).toEqual({
    data: { olmpackages: [{ name: 'p', defaultChannel: 'stable', icon: '{"mediatype":"x"}' }] },
  });
  expect(await ask('{ olmbundles(limit: 2, offset: 3) { name releaseNumber properties { type value } } }')).toEqual({
    data: {
      olmbundles: [3, 4].map((number) => ({
        name: `p.v${number}`,
        releaseNumber: number,
        properties: [{ type: 'olm.package', value: `{"packageName":"p","version":"${number}.0.0"}` }],
      })),
    },
  });
  const all = (await ask('{ a: olmbundles { name } b: olmbundles(limit: 1000) { name } }')) as {
    data: Record<string, unknown[]>;
  };
  expect([all.data['a']?.length, all.data['b']?.length]).toEqual([100, 100]);
});

test('values are what they are in the documents, and deeper ones are texts', async () => {
  expect(await ask('{ olmchannels { entries { name skips } } myschemas { isGood someNames ratio } }')).toEqual({
    data: {
      olmchannels: [{ entries: [{ name: 'p.v1', skips: '["a","b"]' }] }],
      myschemas: [{ isGood: true, someNames: ['x', 'y'], ratio: 1.5 }],
    },
  });
});

test('the summary counts documents and fields', async () => {
  expect(await ask('{ summary { totalSchemas schemas { name totalObjects totalFields } } }')).toEqual({
    data: {
      summary: {
        totalSchemas: 4,
        schemas: [
          { name: 'my.Schema', totalObjects: 1, totalFields: 5 },
          { name: 'olm.bundle', totalObjects: 120, totalFields: 6 },
          { name: 'olm.channel', totalObjects: 1, totalFields: 4 },
          { name: 'olm.package', totalObjects: 1, totalFields: 4 },
        ],
      },
    },
  });
});

const deep = (depth: number): string => `${'{ summary '.repeat(depth)}{ totalSchemas }${' }'.repeat(depth)}`;
const many = (count: number, field: (number: number) => string): string =>
  `{ ${Array.from({ length: count }, (_, number) => field(number)).join(' ')} }`;

test.each([
  { name: 'depth 11', query: deep(10), text: 'query exceeds maximum depth of 10' },
  {
    name: '51 aliases',
    query: many(51, (number) => `a${number}: summary { totalSchemas }`),
    text: 'query exceeds maximum of 50 aliases',
  },
  {
    name: '501 fields',
    query: many(251, () => 'summary { totalSchemas }'),
    text: 'query exceeds maximum of 500 fields',
  },
  {
    name: 'many fields of which each is compared with each',
    query: many(600, () => 'noSuchField { a }'),
    text: 'query exceeds maximum of 1000 fields and fragments',
  },
  {
    name: 'fields that fragments multiply',
    query: `${many(30, () => '...a')} fragment a on Query ${many(30, () => 'summary { totalSchemas }')}`,
    text: 'query exceeds maximum of 500 fields',
  },
  {
    name: 'fragments that multiply, and have no fields',
    query: `{ ...f0 } ${Array.from({ length: 60 }, (_, n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`).join(' ')}`,
    text: 'query exceeds maximum of 500 fragments',
  },
  {
    name: 'fragments in a circle behind many faults',
    query: `${many(20, (number) => `x${number}`).replace('}', '...a }')} fragment a on Query { ...a }`,
    text: 'query exceeds maximum of 500 fragments',
  },
])('CR-C27 a query of $name is refused', async ({ query, text }) => {
  const { status, text: body } = await post(JSON.stringify({ query }));
  expect(JSON.parse(body)).toEqual({ errors: [{ message: text }] });
  expect(status).toBe(400);
});

test.each([
  {
    name: 'over 1 MiB',
    body: JSON.stringify({ query: '{ a }', more: 'x'.repeat(1024 * 1024) }),
    text: 'Invalid request body',
  },
  { name: 'that is no JSON', body: '{', text: 'Invalid request body' },
  { name: 'that is no object', body: '[]', text: 'Invalid request body' },
  { name: 'whose query is no text', body: '{"query": 1}', text: 'Invalid request body' },
  { name: 'without a query', body: '{}', text: 'Query cannot be empty' },
  { name: 'with a long query', body: JSON.stringify({ query: 'x'.repeat(100_001) }), text: 'Query too large' },
])('CR-C27 a body $name is refused', async ({ body, text }) => {
  expect(await post(body)).toEqual({ status: 400, text: `${text}\n` });
});

test('a wrong query gets errors, whatever its fragments do', async () => {
  const messages = async (query: string): Promise<string> => JSON.stringify(await ask(query));
  expect(await messages('{')).toContain('Syntax Error');
  expect(await messages('{ nothing }')).toContain('Cannot query field');
  expect(await messages('{ ...a } fragment a on Query { ...a }')).toContain('Cannot spread fragment');
  expect(await messages(`{ ${'name '.repeat(15_000)} }`)).toContain('10000 tokens');
});

test('an answer is limited, however often aliases ask for the same', async () => {
  const again = Array.from({ length: 40 }, (_, number) => `a${number}: text`).join(' ');
  const { text } = await post(JSON.stringify({ query: `{ larges { ${again} } }` }), servers.on, 'large');
  const { data, errors } = JSON.parse(text) as {
    data: { larges: Record<string, unknown>[] };
    errors: { message: string }[];
  };
  expect(errors.map(({ message }) => message)).toEqual(['query reads too much: ask for fewer objects']);
  expect(data.larges[0]?.['a39']).toBeNull();
});

test('where queries are not enabled, they are refused', async () => {
  expect(await post('{}', servers.off)).toEqual({ status: 503, text: 'GraphQL queries are not enabled\n' });
  const got = await fetch(`http://127.0.0.1:${servers.on.port}/catalogs/shop/api/v1/graphql`);
  expect([got.status, await got.text()]).toEqual([405, 'Only POST is allowed\n']);
});

/** A query of which the last byte is still to come. */
function begin(body: string): { readonly sent: ClientRequest; readonly answer: Promise<number | undefined> } {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const path = '/catalogs/shop/api/v1/graphql';
  const headers = { 'content-length': String(body.length) };
  const take = (reply: IncomingMessage): void => {
    reply.resume();
    reply.once('end', () => resolve(reply.statusCode));
  };
  const target = { host: '127.0.0.1', port: servers.on.port, path, method: 'POST', headers, agent: false };
  const sent = request(target, take).once('error', reject);
  sent.write(body.slice(0, -1));
  return { sent, answer: promise };
}

test('so many queries at a time are answered, and the next have to retry', async () => {
  const body = JSON.stringify({ query: '{ summary { totalSchemas } }' });
  // They end after their time, should this take longer: then others take their places.
  await eventually(async () => {
    const slow = Array.from({ length: 4 }, () => begin(body));
    for (const { answer } of slow) answer.catch(() => undefined);
    try {
      await eventually(
        async () => {
          expect(await post(body)).toEqual({ status: 503, text: 'too many queries at a time: try again later\n' });
        },
        { timeoutMs: 3_000 },
      );
      for (const { sent } of slow) sent.end('}');
      expect(await Promise.all(slow.map(({ answer }) => answer))).toEqual([200, 200, 200, 200]);
    } finally {
      for (const { sent } of slow) sent.destroy();
    }
  });
  await eventually(async () => expect((await post(body)).status).toBe(200));
});
