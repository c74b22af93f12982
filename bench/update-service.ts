import { type IncomingMessage, request } from 'node:http';
import { mapLimit } from '../src/base/index.ts';
import { corpusUpdateGraphDir, hasCorpus } from '../test/support/corpus.ts';
import { type Child, startChild } from './child.ts';
import { type Measurement, percentile } from './table.ts';

const clients = 10_000;
const atOnce = 32;
const channel = 'stable-4.18';

interface Usage {
  readonly cpuMs: number;
  readonly peakBytes: number;
}

async function usageOf(child: Child): Promise<Usage> {
  child.send('usage');
  return await child.next<Usage>();
}

/** One request over a connection of its own, as clusters ask. */
function ask(port: number, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const path = `/api/upgrades_info/graph?arch=amd64&channel=${channel}&id=0&version=4.18.1`;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response));
    });
    sent.once('error', reject).end();
  });
}

async function measureClients(child: Child, port: number, etag: string | undefined): Promise<Measurement[]> {
  const headers = { 'accept-encoding': 'gzip', ...(etag === undefined ? {} : { 'if-none-match': etag }) };
  const before = await usageOf(child);
  const startedMs = performance.now();
  const times = await mapLimit(Array.from({ length: clients }), atOnce, async () => {
    const begunMs = performance.now();
    const { statusCode } = await ask(port, headers);
    if (statusCode !== (etag === undefined ? 200 : 304)) throw new Error(`status ${statusCode}`);
    return performance.now() - begunMs;
  });
  const after = await usageOf(child);
  const cpuMs = after.cpuMs - before.cpuMs;
  const what = etag === undefined ? 'whole graphs' : 'unchanged graphs (304)';
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  return [
    {
      what: `${clients.toLocaleString('en')} clients, ${what}: processor time`,
      value: `${(cpuMs / 1000).toFixed(1)} s`,
      goal: 'under 60 s, a minute of one core',
    },
    {
      what: `… elapsed, 99th percentile, memory of the server`,
      value: `${seconds} s, ${percentile(times, 99).toFixed(0)} ms, ${Math.round(after.peakBytes / 1e6)} MB`,
    },
  ];
}

/** An update service with published graph data, and as many clients as a minute has of 10,000 clusters; each opens a connection. */
export async function measureUpdateService(): Promise<Measurement[]> {
  if (!hasCorpus) return [{ what: 'graph data of the corpus', value: 'missing' }];
  await using child = startChild('update-service-child.ts', [corpusUpdateGraphDir, channel]);
  const { port } = await child.next<{ port: number }>();
  const first = await ask(port, { 'accept-encoding': 'gzip' });
  const [etag = '', length = '0'] = [first.headers.etag, first.headers['content-length']];
  return [
    { what: `Graph of ${channel}, compressed`, value: `${(Number(length) / 1000).toFixed(1)} kB` },
    ...(await measureClients(child, port, undefined)),
    ...(await measureClients(child, port, etag)),
  ];
}
