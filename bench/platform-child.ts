/** The measured platform: prints its kubeconfig; for each line of standard input, what it has used so far. */

import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { readConfig, upOptions } from '../cli/config.ts';
import { parseOptions } from '../cli/options.ts';
import { startPlatform } from '../cli/platform.ts';
import { createLogger } from '../src/base/index.ts';
import { peakMemoryBytes } from './memory.ts';

let requestCount = 0;
let apiPort = '';
subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: ClientRequest };
  if (String(request.getHeader('host') as string).endsWith(`:${apiPort}`)) requestCount += 1;
});
const config = readConfig(parseOptions(upOptions, ['--log-level', 'error'], {}).values);
const platform = await startPlatform(config, { log: await createLogger({ level: config.logLevel }) });
if (platform.apiServer === undefined) throw new Error('the measured platform has an API server of its own');
apiPort = new URL(platform.apiServer.url).port;
process.stdout.write(`${JSON.stringify({ kubeconfig: platform.apiServer.kubeconfig })}\n`);
const lines = createInterface({ input: process.stdin });
lines.on('line', () => {
  const facts = { requestCount, peakBytes: peakMemoryBytes() };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
});
process.once('SIGTERM', () => {
  void platform[Symbol.asyncDispose]().then(() => process.exit(0));
});
