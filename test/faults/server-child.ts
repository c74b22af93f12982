/** The API server that tests of faults kill, fill and flood: a process of its own, on the data folder of its first argument. Prints its kubeconfig
 *  as JSON when it is ready; `free PATH` on standard input removes a file, for there may be no other way into its file system. */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { startApiServer } from '../../apiserver/index.ts';

const [dataDir] = process.argv.slice(2);
const server = await startApiServer({ dataDir });
process.stdout.write(`${JSON.stringify({ kubeconfig: server.kubeconfig })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const [word, path = ''] = line.split(' ');
  if (word === 'free') await rm(path);
  process.stdout.write(`${JSON.stringify({ done: line })}\n`);
}
await server.stop();
