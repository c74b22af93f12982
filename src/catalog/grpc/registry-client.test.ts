import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { registryCatalog, startTestRegistry } from '../../../test/support/catalog-registry.ts';
import { type JsonObject, objectsAt } from '../../base/index.ts';
import type { Meta } from '../meta.ts';
import { defaultRegistryLimits, readRegistry } from './registry-client.ts';

async function collect(metas: AsyncIterable<Meta>): Promise<Meta[]> {
  const collected: Meta[] = [];
  for await (const meta of metas) collected.push(meta);
  return collected;
}

test('a registry is read back as the documents of its catalog, without what lists do not have', async () => {
  await using registry = await startTestRegistry();
  const { port } = registry;
  const metas = await collect(readRegistry(`127.0.0.1:${port}`));
  const short = metas.map(({ schema, package: packageName, name }) => `${schema} ${packageName} ${name}`);
  expect(short).toEqual([
    'olm.package  p',
    'olm.channel p alpha',
    'olm.channel p broken',
    'olm.channel p stable',
    'olm.bundle p p.v1.2.0',
    'olm.bundle p p.v2.0.0',
    'olm.bundle p p.v1.0.0',
    'olm.bundle p p.v1.1.0',
    'olm.deprecations p ',
    'olm.package  q',
    'olm.channel q fast',
    'olm.channel q stable',
    'olm.bundle q q.v0.1.0',
    'olm.bundle q q.v1.0.0',
  ]);
  const valueOf = (name: string, schema: string): JsonObject | undefined =>
    metas.find((found) => found.name === name && found.schema === schema)?.value;
  expect(valueOf('stable', 'olm.channel')).toBeDefined();
  expect(metas[3]?.value['entries']).toEqual(
    registryCatalog.find((meta) => meta.package === 'p' && meta.name === 'stable')?.value['entries'],
  );
  const original = registryCatalog.find(({ name }) => name === 'q.v1.0.0')?.value;
  expect(valueOf('q.v1.0.0', 'olm.bundle')).toEqual({ ...original, image: undefined });
  expect(metas[8]?.value['entries']).toEqual(
    registryCatalog.find(({ schema }) => schema === 'olm.deprecations')?.value['entries'],
  );
});

test('what user interfaces show of the heads of channels is read on request, and is never installed', async () => {
  await using registry = await startTestRegistry();
  const options = { endpoints: [{ address: '127.0.0.1', port: registry.port }], hasHeads: true };
  const metas = await collect(readRegistry(`registry.example:${registry.port}`, options));
  const valueOf = (name: string): JsonObject | undefined => metas.find((meta) => meta.name === name)?.value;
  const properties = objectsAt(valueOf('p.v1.2.0'), 'properties');
  expect(properties.filter(({ type }) => type === 'olm.bundle.object')).toEqual([]);
  expect(properties.find(({ type }) => type === 'olm.csv.metadata')?.['value']).toMatchObject({
    displayName: 'P',
    annotations: { a: 'b' },
  });
  expect(valueOf('p')).toMatchObject({ icon: { base64data: 'AAAA', mediatype: 'image/png' } });
});

test('reading a registry that is none, too large or not reachable fails with its reason', async () => {
  await using registry = await startTestRegistry();
  const { port } = registry;
  const read = (address: string, limits: object = {}): Promise<Meta[]> =>
    collect(readRegistry(address, { limits: { ...defaultRegistryLimits, ...limits } }));
  const address = `127.0.0.1:${port}`;
  await expect(read(address, { totalBytes: 100 })).rejects.toMatchObject({ reason: 'BodyTooLarge' });
  await expect(read(address, { fields: 10 })).rejects.toMatchObject({ reason: 'BodyTooLarge' });
  await expect(read(address, { packages: 1 })).rejects.toMatchObject({ reason: 'TooManyPackages' });
  await expect(read(address, { deadlineMs: 0 })).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
  await expect(read('127.0.0.1:1')).rejects.toMatchObject({
    reason: 'RegistryUnavailable',
    message: expect.stringMatching(/^grpc:\/\/127\.0\.0\.1:1: (?!.*Resolution note: $)/) as string,
  });
  // Nothing is asked any more: the responses would be too large.
  const limits = { ...defaultRegistryLimits, packages: 1 };
  const stopped = collect(readRegistry(address, { signal: AbortSignal.abort(), limits }));
  await expect(stopped).rejects.toThrow(/abort/i);
});

test('a message that is marked as compressed, without a compression, is a fault of the registry', async () => {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    stream.end(Buffer.from([1, 0, 0, 0, 1, 0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await expect(collect(readRegistry(`127.0.0.1:${port}`))).rejects.toMatchObject({ reason: 'RegistryUnreadable' });
  } finally {
    server.close();
  }
});
