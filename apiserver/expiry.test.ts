import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Answer, Connection } from '../test/conformance/connection.ts';
import { startApiServer } from './index.ts';

const path = '/api/v1/namespaces/default/secrets';
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

interface List {
  readonly metadata: { readonly resourceVersion: string; readonly continue: string };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

const listOf = ({ body }: Answer): List => body as unknown as List;
const namesOf = (answer: Answer): string[] => listOf(answer).items.map(({ metadata }) => metadata.name);

async function withServer<T>(dataDir: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  await using server = await startApiServer({ dataDir, simulation: false });
  using connection = new Connection(server.kubeconfig);
  return await work(connection);
}

const get = (connection: Connection, query: string): Promise<Answer> =>
  connection.ask({ method: 'GET', path: `${path}?${query}`, headers: {} });

/** Three Secrets, the first page of a list of them, and then a server that has forgotten how it came to its state. */
async function forget(): Promise<{ readonly dataDir: string; readonly first: List }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'expiry-'));
  folders.push(dataDir);
  const first = await withServer(dataDir, async (connection) => {
    for (const name of ['a', 'b', 'c']) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
      await connection.ask({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body });
    }
    const page = listOf(await get(connection, 'limit=1'));
    await connection.ask({ method: 'DELETE', path: `${path}/b`, headers: {} });
    return page;
  });
  return { dataDir, first };
}

test('a list that cannot continue fails with a token for the rest as it is now', async () => {
  const { dataDir, first } = await forget();
  await withServer(dataDir, async (connection) => {
    const refused = await get(connection, `limit=1&continue=${first.metadata.continue}`);
    expect(refused.body).toMatchObject({
      kind: 'Status',
      code: 410,
      reason: 'Expired',
      message: expect.stringMatching(/^The provided continue parameter is too old .* inconsistent list - /) as string,
    });
    const token = (refused.body as { metadata: { continue: string } }).metadata.continue;
    expect(JSON.parse(Buffer.from(token, 'base64url').toString())).toMatchObject({ v: 'meta.k8s.io/v1', rv: -1 });
    expect(namesOf(await get(connection, `continue=${token}`))).toEqual(['c']);
  });
});

test('an exact list of a forgotten version is 410, a list that is not older than it is not', async () => {
  const { dataDir, first } = await forget();
  await withServer(dataDir, async (connection) => {
    const version = `resourceVersion=${first.metadata.resourceVersion}`;
    expect((await get(connection, `${version}&resourceVersionMatch=Exact`)).body).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
    expect(namesOf(await get(connection, `${version}&resourceVersionMatch=NotOlderThan`))).toEqual(['a', 'c']);
  });
});

test('a watch from an expired version ends with an ERROR event', async () => {
  const { dataDir, first } = await forget();
  await withServer(dataDir, async (connection) => {
    const { status, body } = await get(connection, `watch=true&resourceVersion=${first.metadata.resourceVersion}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired', message: expect.stringMatching(/^too old/) as string },
    });
  });
});

test('a watch from a version that an older copy of the data has not reached ends with an ERROR event', async () => {
  const { dataDir, first } = await forget();
  await withServer(dataDir, async (connection) => {
    const ahead = BigInt(first.metadata.resourceVersion) + 1000n;
    const { status, body } = await get(connection, `watch=true&resourceVersion=${ahead}&timeoutSeconds=1`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'ERROR',
      object: {
        kind: 'Status',
        code: 410,
        reason: 'Expired',
        message: expect.stringMatching(/another history/) as string,
      },
    });
    const { resourceVersion } = listOf(await get(connection, '')).metadata;
    const current = await get(connection, `watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=1`);
    expect(current.body).not.toMatchObject({ type: 'ERROR' });
  });
});
