/** The controllers of machines on the simulated provider in a process of their own, for tests that kill it: prints `ready` when they work. Runs until
 *  standard input ends. Several of them elect a leader. */
import { once } from 'node:events';
import { addMachineControllers } from '../../../manager/machines.ts';
import { createLogger, steadyClock, systemClock } from '../../../src/base/index.ts';
import { createManager, startLeaderElection } from '../../../src/controller/index.ts';
import { createKubeClient, loadClusterAccess } from '../../../src/kube/index.ts';
import { addMachineHook } from '../../../src/machines/index.ts';

const [kubeconfig = ''] = process.argv.slice(2);
const stop = new AbortController();
const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfig }), clock: systemClock });
const log = await createLogger({ level: 'error', destination: process.stderr });
const election = startLeaderElection({
  kube,
  lease: { namespace: 'machines', name: 'machines' },
  identity: `process-${process.pid}`,
  // Long enough for a process that hardly gets to run, which would exit again and again.
  durationMs: 15_000,
  clock: systemClock,
  steady: steadyClock,
  log,
});
const manager = createManager({
  kube,
  clock: systemClock,
  log,
  signal: stop.signal,
  election: { isLeading: () => election.isLeading(), whenLeading: election.whenLeading.then(() => true) },
});
addMachineControllers(manager, {
  provider: undefined,
  deleteAnnotation: 'Prioritise',
  hooks: [{ name: 'volume-detach' }],
  releaseVersion: undefined,
  etcd: undefined,
  version: '1.0.0',
  hasClusterVersion: false,
});
const work = (): Promise<undefined> => Promise.resolve(undefined);
addMachineHook(manager, { stage: 'preDrain', name: 'MoveApps', owner: 'apps-controller', work });
void election.whenLost.then(() => process.exit(1));
void manager.start();
await manager.whenSynced;
process.stdout.write('ready\n');
await once(process.stdin.resume(), 'end');
stop.abort();
await manager.whenStopped();
await election[Symbol.asyncDispose]();
kube.close();
