import { type Clock, silentLogger, systemClock } from '../../src/base/index.ts';
import { createManager } from '../../src/controller/index.ts';
import { createKubeClient, loadClusterAccess } from '../../src/kube/index.ts';
import {
  addMachineHealthChecks,
  addMachineSets,
  addMachines,
  addNodeLink,
  askByHttp,
  ExternalProvider,
} from '../../src/machines/index.ts';
import type { Implementation } from './scenario.ts';

/** As much as the intervals of the reference are shortened. */
const speed = 20;
/** Longer than the intervals, and than the retries of a drain. */
const quietMs = 2_500;

/** Time that is slept faster. */
function fastClock(): Clock {
  return { now: () => systemClock.now(), sleep: (ms, options) => systemClock.sleep(ms / speed, options) };
}

/** Longshore's controllers. */
export function ours(): Implementation {
  return {
    quietMs,
    start: async ({ kubeconfigPath, actuatorUrl }) => {
      const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfigPath }), clock: systemClock });
      const stop = new AbortController();
      const manager = createManager({ kube, clock: fastClock(), log: silentLogger(), signal: stop.signal });
      const actuator = new ExternalProvider(askByHttp({ url: actuatorUrl }));
      addMachines(manager, { actuator, settings: { skipDrainIgnoresHooks: true } });
      addMachineSets(manager);
      addMachineHealthChecks(manager);
      addNodeLink(manager);
      await manager.start();
      return {
        [Symbol.asyncDispose]: async () => {
          stop.abort();
          await manager.whenStopped();
          kube.close();
        },
      };
    },
  };
}
