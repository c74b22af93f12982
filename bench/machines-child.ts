/** The measured controllers of machines: the kubeconfig is the argument. Prints a line once they run. Instances exist in memory, so that what is measured is
 *  what the controllers ask. */
import { keepHeapSmall } from '../cli/command/heap.ts';
import { createLogger, systemClock } from '../src/base/index.ts';
import { createManager } from '../src/controller/index.ts';
import { createKubeClient, loadClusterAccess } from '../src/kube/index.ts';
import {
  type Actuator,
  addMachineHook,
  addMachines,
  addNodeLink,
  type Instance,
  type MachineHook,
} from '../src/machines/index.ts';

keepHeapSmall();
const [path = ''] = process.argv.slice(2);
const kube = createKubeClient({ access: await loadClusterAccess({ path }), clock: systemClock });
const stop = new AbortController();
const log = await createLogger({ level: 'error' });
const manager = createManager({ kube, clock: systemClock, log, signal: stop.signal });

const instances = new Map<string, Instance>();
const actuator: Actuator = {
  create: ({ metadata: { name } }) => {
    const instance = { providerID: `memory:///${name}`, state: 'running' };
    instances.set(name, instance);
    return Promise.resolve(instance);
  },
  update: ({ metadata: { name } }) => Promise.resolve(instances.get(name) ?? {}),
  delete: ({ metadata: { name } }) => {
    instances.delete(name);
    return Promise.resolve();
  },
  exists: ({ metadata: { name } }) => Promise.resolve(instances.has(name)),
};
const backup: MachineHook = {
  stage: 'preTerminate',
  name: 'BackupVolume',
  owner: 'backup-controller',
  work: () => Promise.resolve(undefined),
};
addMachines(manager, { actuator });
addNodeLink(manager);
addMachineHook(manager, backup);
await manager.start();
process.stdout.write(`${JSON.stringify({ readyMs: performance.now() })}\n`);
await new Promise((resolve) => process.once('SIGTERM', resolve));
stop.abort();
await manager.whenStopped();
kube.close();
process.exit(0);
