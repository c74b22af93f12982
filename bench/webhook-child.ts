/** The measured webhook: prints its port and authority once it listens; for each line of standard input, the processor time and memory it has used. The
 *  argument is the kubeconfig of the API server that it reads facts from. */

import { createInterface } from 'node:readline';
import { factsReader } from '../manager/facts.ts';
import { createLogger, systemClock } from '../src/base/index.ts';
import { createKubeClient, loadClusterAccess } from '../src/kube/index.ts';
import { createMetrics } from '../src/metrics/index.ts';
import { startWebhookServer } from '../webhook/index.ts';
import { peakMemoryBytes } from './memory.ts';

const systemNamespace = 'rukpak-system';
const stop = new AbortController();
const clock = systemClock;
const log = await createLogger({ level: 'error' });
const kube = createKubeClient({ access: await loadClusterAccess({ path: process.argv[2] ?? '' }), clock });
const runtime = { kube, clock, log, signal: stop.signal, metrics: createMetrics() };
const server = await startWebhookServer({
  ...runtime,
  host: '127.0.0.1',
  port: 0,
  facts: factsReader({ ...runtime, systemNamespace }),
  systemNamespace,
});
process.stdout.write(`${JSON.stringify({ port: server.port, ca: server.caBundlePem() })}\n`);
createInterface({ input: process.stdin }).on('line', () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ cpuMs: (user + system) / 1000, peakBytes: peakMemoryBytes() })}\n`);
});
process.once('SIGTERM', () => {
  stop.abort();
  kube.close();
  void server[Symbol.asyncDispose]().then(() => process.exit(0));
});
