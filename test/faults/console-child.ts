/** The console in a process of its own, for the API server at the address of its first argument. Before it starts, a cache follows all ConfigMaps there, of which it
 *  keeps the names. Prints its address, and how many these are, as JSON. */
import { startConsole } from '../../console/server/index.ts';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createCache, createKubeClient } from '../../src/kube/index.ts';

const [, , server = ''] = process.argv;
const tls = (): Promise<object> => Promise.resolve({});
const [clock, log] = [systemClock, silentLogger()];
const kube = createKubeClient({ access: { server, tls, headers: () => Promise.resolve({}) }, clock });
const target = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'many' };
const project = ({ metadata }: { metadata: { name?: string } }): string | undefined => metadata.name;
const { signal } = new AbortController();
const cache = createCache({ kube, target, project, clock, log, signal });
await cache.whenSynced;
const console = await startConsole({
  host: '127.0.0.1',
  port: 0,
  externalUrl: undefined,
  tls: undefined,
  proxyCount: 0,
  openStaticDir: () => Promise.reject(new Error('there is no page')),
  cluster: { server, tls },
  link: undefined,
  oidc: undefined,
  runCommand: () => Promise.reject(new Error('there are no commands')),
  recentLines: undefined,
  isEmbedded: false,
  version: '0.0.0',
  clock,
  log,
});
process.stdout.write(`${JSON.stringify({ url: console.url, names: cache.values().length })}\n`);
