import { Client, credentials } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { startTestRegistry } from '../../../test/support/catalog-registry.ts';
import { type Logger, silentLogger } from '../../base/index.ts';

const connections = 32;

function countingLog(): { readonly log: Logger; readonly failed: unknown[] } {
  const failed: unknown[] = [];
  return { failed, log: { ...silentLogger(), debug: (fields: object) => failed.push(fields) } };
}

/** A call on a connection of its own: how it fails, or how many messages came. */
async function ask(port: number, path: string): Promise<unknown> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  try {
    const bytes = (message: Buffer): Buffer => message;
    const stream = client.makeServerStreamRequest(path, bytes, bytes, Buffer.alloc(0));
    return (await stream.toArray()).length;
  } catch (thrown) {
    return (thrown as { readonly details?: string }).details;
  } finally {
    client.close();
  }
}

async function askOften(port: number, path: string): Promise<unknown[]> {
  return await Promise.all(Array.from({ length: connections }, () => ask(port, path)));
}

// Only Linux distributes the connections to a port over several listeners.
test.runIf(process.platform === 'linux')(
  'connections are distributed over threads, which answer alike; a port that is in use is refused; all of them stop',
  async () => {
    const [main, beside] = [countingLog(), countingLog()];
    await using registry = await startTestRegistry({ log: main.log, threadLog: beside.log });
    const { port } = registry;
    expect(new Set(await askOften(port, '/api.Registry/ListPackages'))).toEqual(new Set([2]));
    expect(new Set(await askOften(port, '/api.Registry/GetPackage'))).toEqual(new Set(['package "" not found']));
    expect(main.failed.length).toBeGreaterThan(0);
    await expect.poll(() => main.failed.length + beside.failed.length).toBe(connections);
    expect(beside.failed[0]).toEqual({ method: 'api.Registry.GetPackage', code: 2, message: 'package "" not found' });
    await expect(startTestRegistry({ threadLog: silentLogger(), port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await registry[Symbol.asyncDispose]();
    await using next = await startTestRegistry({ threadLog: silentLogger(), port });
    expect(next.port).toBe(port);
  },
);
