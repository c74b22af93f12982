/** The measured API server: prints its address as soon as it has answered its own first request, and how long that took. `--module FILE` is the API server
 *  of a package instead of the sources. */
import { request } from 'node:https';
import { parseArgs } from 'node:util';
import { collectWhenIdle } from '../cli/command/heap.ts';

type ApiServer = typeof import('../apiserver/index.ts');

const { values } = parseArgs({
  options: { 'data-dir': { type: 'string' }, crds: { type: 'string' }, module: { type: 'string' } },
});
const loadedMs = performance.now();
const { startApiServer } = (await import(values.module ?? '../apiserver/index.ts')) as ApiServer;
const importedMs = performance.now();
const server = await startApiServer({
  dataDir: values['data-dir'],
  ...(values.crds !== undefined && { crds: [values.crds] }),
});
await new Promise<void>((resolve, reject) => {
  const headers = { authorization: `Bearer ${server.adminToken}` };
  const outgoing = request(
    `${server.url}/api/v1/namespaces/default`,
    { ca: server.caCertificatePem, headers },
    (incoming) => {
      incoming.resume();
      incoming.once('end', resolve);
    },
  );
  outgoing.once('error', reject);
  outgoing.end();
});
const answeredMs = performance.now();
const facts = {
  kubeconfig: server.kubeconfig,
  importMs: importedMs - loadedMs,
  startMs: answeredMs - importedMs,
  /** From the start of the process. */
  totalMs: answeredMs,
};
process.stdout.write(`${JSON.stringify(facts)}\n`);
// As `longshore up` does.
collectWhenIdle();
process.once('SIGTERM', () => {
  void server.stop().then(() => process.exit(0));
});
