import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { createManager } from '../../../src/controller/index.ts';
import { createKubeClient, loadClusterAccess } from '../../../src/kube/index.ts';
import { addMachineConfigPools, addNodeDrains } from '../../../src/machines/index.ts';
import type { PoolImplementation } from './scenario.ts';

/** The controllers of the machine-config-operator. */
export function reference(program: string): PoolImplementation {
  return {
    quietMs: 8_000,
    start: async (kubeconfigPath) => {
      const child = spawn(program, ['-kubeconfig', kubeconfigPath], { stdio: 'ignore' });
      await once(child, 'spawn');
      return {
        [Symbol.asyncDispose]: async () => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        },
      };
    },
  };
}

/** Longshore's controllers. */
export const ours: PoolImplementation = {
  quietMs: 400,
  start: async (kubeconfigPath) => {
    const kube = createKubeClient({ access: await loadClusterAccess({ path: kubeconfigPath }), clock: systemClock });
    const stop = new AbortController();
    const manager = createManager({ kube, clock: systemClock, log: silentLogger(), signal: stop.signal });
    addMachineConfigPools(manager, { version: '0.0.0', delayMs: 50 });
    addNodeDrains(manager);
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
