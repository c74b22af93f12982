/** The measured controllers of OLM's kinds, as the program runs them: the kubeconfig and a folder of their own are the arguments. Prints a line once
 *  they run. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { keepHeapSmall } from '../cli/command/heap.ts';
import { addOlm } from '../manager/olm.ts';
import { createLogger, defaultContentLimits, systemClock } from '../src/base/index.ts';
import { createManager } from '../src/controller/index.ts';
import { createKubeClient, loadClusterAccess } from '../src/kube/index.ts';
import { createMetrics } from '../src/metrics/index.ts';

keepHeapSmall();
const [path = '', folder = ''] = process.argv.slice(2);
const olmDir = join(folder, 'olm');
await mkdir(join(olmDir, 'bundles'), { recursive: true });
const kube = createKubeClient({ access: await loadClusterAccess({ path }), clock: systemClock });
const stop = new AbortController();
const log = await createLogger({ level: 'error' });
const manager = createManager({ kube, clock: systemClock, log, metrics: createMetrics(), signal: stop.signal });
const unchanging = { watch: (): Disposable => ({ [Symbol.dispose]: () => undefined }) };
await using stack = new AsyncDisposableStack();
await addOlm(
  manager,
  { globalCatalogNamespace: 'olm' },
  {
    olmDir,
    registries: {
      authorities: [],
      mirrors: { ...unchanging, read: () => Promise.resolve([]) },
      imagePolicy: { ...unchanging, read: () => Promise.resolve(undefined) },
    },
    unpacking: {
      limits: defaultContentLimits,
      insecureRegistries: [],
      registryCaPem: [],
      answerDeadlineMs: 10_000,
      platform: 'linux/amd64',
      deadlineMs: 60_000,
    },
    stack,
  },
);
await manager.start();
process.stdout.write(`${JSON.stringify({ readyMs: performance.now() })}\n`);
await new Promise((resolve) => process.once('SIGTERM', resolve));
stop.abort();
await manager.whenStopped();
kube.close();
process.exit(0);
