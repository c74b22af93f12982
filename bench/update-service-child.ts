/** The measured update service: prints its port once it listens, and for each line of standard input the processor time and memory that it has used. The
 *  arguments are a folder of graph data and a channel: there is a release of each version in it, that every older one updates to. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startHttpServer } from '../src/base/index.ts';
import { buildUpdateGraphs, readGraphData, type ServedRelease, updateService } from '../src/update-graph/index.ts';
import { peakMemoryBytes } from './memory.ts';

const [folder = '', channel = ''] = process.argv.slice(2);
const data = readGraphData(
  ['channels', 'blocked-edges'].flatMap((directory) =>
    readdirSync(join(folder, directory)).map((name) => {
      return { path: `${directory}/${name}`, text: readFileSync(join(folder, directory, name), 'utf8') };
    }),
  ),
);
const named = [...(data.channels.get(channel)?.versions ?? [])].map((version) => version.replace(/\+.*/, ''));
const versions = [...new Set(named)];
const releases = versions.flatMap((version, index) =>
  ['amd64', 'multi'].map((architecture): ServedRelease => {
    const payload = `registry.example.com/releases@sha256:${String(index).padStart(64, '0')}`;
    const previous = versions.slice(0, index);
    return { version, payload, architecture, previous, next: [], url: `https://docs.example.com/${version}` };
  }),
);
const { handle } = updateService(buildUpdateGraphs(data, releases));
const server = await startHttpServer(handle, { host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
createInterface({ input: process.stdin }).on('line', () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ cpuMs: (user + system) / 1000, peakBytes: peakMemoryBytes() })}\n`);
});
process.once('SIGTERM', () => void server[Symbol.asyncDispose]().then(() => process.exit(0)));
