/** The measured platform: prints its kubeconfig once it is ready; for each line of standard input, what it has used so far; for the line
 *  `collect`, after its garbage has been collected. Arguments are options
 *  of `longshore up`. */

import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Worker } from 'node:worker_threads';
import { parseOptions } from '../cli/command/options.ts';
import { readConfig, upOptions } from '../cli/settings/up.ts';
import { startPlatform } from '../cli/up/platform.ts';
import { createLogger } from '../src/base/index.ts';
import { loadClusterAccess } from '../src/kube/index.ts';
import { peakMemoryBytes } from './memory.ts';
import { requestKind } from './request-kind.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const threads = new Set<Worker>();
subscribe('worker_threads', (message) => {
  const { worker } = message as { worker: Worker };
  threads.add(worker);
  worker.once('exit', () => threads.delete(worker));
});
const requests = new Map<string, number>();
/** Some versions of Node.js announce a request twice. */
const counted = new WeakSet<ClientRequest>();
let apiPort = '';
subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: ClientRequest };
  if (counted.has(request) || !String(request.getHeader('host') as string).endsWith(`:${apiPort}`)) return;
  counted.add(request);
  const { method, path } = request;
  const kind = requestKind({ method, path, contentType: String(request.getHeader('content-type') as string) });
  requests.set(kind, (requests.get(kind) ?? 0) + 1);
});
const config = readConfig(parseOptions(upOptions, ['--log-level', 'error', ...process.argv.slice(2)], {}).values);
const access = config.clusterPath === undefined ? undefined : await loadClusterAccess({ path: config.clusterPath });
if (access !== undefined) apiPort = new URL(access.server).port;
const platform = await startPlatform(config, { log: await createLogger({ level: config.logLevel }) });
if (platform.apiServer !== undefined) apiPort = new URL(platform.apiServer.url).port;
process.stdout.write(`${JSON.stringify({ kubeconfigPath: platform.kubeconfigPath, readyMs: performance.now() })}\n`);

/** Garbage included; a thread that ended because it was idle counts nothing. */
async function threadHeapBytes(): Promise<number> {
  const sizes = Array.from(threads, (thread) =>
    thread.getHeapStatistics().then(
      ({ used_heap_size: size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function report(line: string): Promise<void> {
  if (line === 'collect') collectGarbage();
  const { user, system } = process.cpuUsage();
  const facts = {
    requests: Object.fromEntries(requests),
    peakBytes: peakMemoryBytes(),
    residentBytes: process.memoryUsage.rss(),
    heapBytes: process.memoryUsage().heapUsed,
    threadHeapBytes: await threadHeapBytes(),
    cpuMs: (user + system) / 1000,
  };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void report(line));
process.once('SIGTERM', () => {
  void platform[Symbol.asyncDispose]().then(() => process.exit(0));
});
