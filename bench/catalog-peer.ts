/** `opm serve` beside `longshore catalog serve`, asked the same by the same client. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { type Figure, percentile } from './table.ts';

const clients = 16;
const callsOfEach = 500;
const startDeadlineMs = 60_000;

interface Load {
  readonly callsPerSecond: number;
  readonly p99Ms: number;
}

async function call(client: Client, method: string, request: Buffer): Promise<void> {
  const bytes = (message: Buffer): Buffer => message;
  const answer = client.makeServerStreamRequest(`/api.Registry/${method}`, bytes, bytes, request, new Metadata());
  for await (const _ of answer);
}

/** GetPackage by 16 clients at a time, each with a connection of its own. */
async function load(port: number, names: readonly string[]): Promise<Load> {
  const times: number[] = [];
  const startedMs = performance.now();
  const one = async (first: number): Promise<void> => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
    });
    for (let index = 0; index < callsOfEach; index += 1) {
      const name = Buffer.from(names[(first + index * 7) % names.length] ?? '');
      const calledMs = performance.now();
      await call(client, 'GetPackage', Buffer.concat([Buffer.of(10, name.length), name]));
      times.push(performance.now() - calledMs);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: clients }, (_, first) => one(first)));
  const seconds = (performance.now() - startedMs) / 1000;
  return { callsPerSecond: times.length / seconds, p99Ms: percentile(times, 99) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function untilReady(program: ChildProcess, port: number): Promise<boolean> {
  const deadlineMs = Date.now() + startDeadlineMs;
  while (program.exitCode === null && Date.now() < deadlineMs) {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const isReady = await call(client, 'ListPackages', Buffer.alloc(0)).then(
      () => true,
      () => false,
    );
    client.close();
    if (isReady) return true;
    await delay(200);
  }
  return false;
}

function figure(name: string, { callsPerSecond, p99Ms }: Load): string {
  return `${name} ${Math.round(callsPerSecond)}/s, p99 ${p99Ms.toFixed(1)} ms`;
}

/** Both programs in turn on one catalog, two rounds, the second of which counts. */
export async function peerFigures(dir: string, ours: number, names: readonly string[]): Promise<Figure[]> {
  const what = `GetPackage by ${clients} clients, beside opm serve`;
  const port = await freePort();
  const opm = spawn('opm', ['serve', dir, '--port', String(port)], { stdio: 'ignore' });
  const failed = new Promise<false>((resolve) => {
    opm.once('error', () => resolve(false));
  });
  if (!(await Promise.race([untilReady(opm, port), failed]))) {
    opm.kill('SIGTERM');
    return [{ what, value: 'skipped: the program opm is not installed, or does not serve the catalog' }];
  }
  try {
    await load(port, names);
    await load(ours, names);
    const [theirs, own] = [await load(port, names), await load(ours, names)];
    return [
      { what, value: `${figure('longshore', own)}; ${figure('opm', theirs)}` },
      { what: `${what}: throughput, ratio`, value: (own.callsPerSecond / theirs.callsPerSecond).toFixed(2) },
    ];
  } finally {
    opm.kill('SIGTERM');
    await once(opm, 'exit');
  }
}
