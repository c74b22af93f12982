/** The measured update engine: the kubeconfig, a folder of its own and the places of releases are the arguments. Prints a line once it runs. */
import { join } from 'node:path';
import { keepHeapSmall } from '../cli/command/heap.ts';
import { createLogger, systemClock } from '../src/base/index.ts';
import { addClusterVersion, localSource } from '../src/cluster-version/index.ts';
import { createManager } from '../src/controller/index.ts';
import { createKubeClient, loadClusterAccess } from '../src/kube/index.ts';
import type { PayloadPlace } from '../test/cluster-version/scenario.ts';

keepHeapSmall();
const [path = '', folder = '', places = '[]'] = process.argv.slice(2);
const payloads = JSON.parse(places) as PayloadPlace[];
const [first] = payloads;
const kube = createKubeClient({ access: await loadClusterAccess({ path }), clock: systemClock });
const stop = new AbortController();
const log = await createLogger({ level: 'error' });
const manager = createManager({ kube, clock: systemClock, log, signal: stop.signal });
addClusterVersion(manager, {
  initial: { version: first?.version ?? '', image: first?.image ?? '' },
  sources: [localSource(new Map(payloads.map(({ image, folder: place }) => [image, place])))],
  workDir: join(folder, 'work'),
  intervals: { minimumMs: 60_000, random: () => 0 },
});
await manager.start();
process.stdout.write(`${JSON.stringify({ readyMs: performance.now() })}\n`);
await new Promise((resolve) => process.once('SIGTERM', resolve));
stop.abort();
await manager.whenStopped();
kube.close();
process.exit(0);
