/** The controllers of Operator Lifecycle Manager in a process of their own, for tests that kill it: prints `ready` when they work. Runs until
 *  standard input ends. */
import { once } from 'node:events';
import { join } from 'node:path';
import { addOlm } from '../../../manager/olm.ts';
import { createLogger, defaultContentLimits, systemClock } from '../../../src/base/index.ts';
import { createManager } from '../../../src/controller/index.ts';
import { createKubeClient, loadClusterAccess } from '../../../src/kube/index.ts';

const [kubeconfig = '', folder = '', insecureRegistry = ''] = process.argv.slice(2);
const stop = new AbortController();
const access = await loadClusterAccess({ path: kubeconfig });
const kube = createKubeClient({ access, clock: systemClock });
const log = await createLogger({ level: 'error', destination: process.stderr });
const manager = createManager({ kube, clock: systemClock, log, signal: stop.signal });
const unpacking = {
  limits: defaultContentLimits,
  insecureRegistries: insecureRegistry === '' ? [] : [insecureRegistry],
  registryCaPem: [],
  answerDeadlineMs: 10_000,
  platform: 'linux/amd64',
  deadlineMs: 60_000,
};
const unwatched = { [Symbol.dispose]: () => undefined };
const registries = {
  authorities: [],
  mirrors: { read: () => Promise.resolve([]), watch: () => unwatched },
  imagePolicy: { read: () => Promise.resolve(undefined), watch: () => unwatched },
};
const stack = new AsyncDisposableStack();
await addOlm(manager, { globalCatalogNamespace: 'olm' }, { olmDir: join(folder, 'olm'), registries, unpacking, stack });
await manager.start();
process.stdout.write('ready\n');
await once(process.stdin.resume(), 'end');
stop.abort();
await manager.whenStopped();
await stack.disposeAsync();
kube.close();
