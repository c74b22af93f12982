import { machineResource, parseMachine } from '../../api/index.ts';
import { createLogger, type JsonObject, mapLimit, systemClock } from '../../base/index.ts';
import { createManager } from '../../controller/index.ts';
import { createKubeClient, type KubeClient, loadClusterAccess, preconditionOf, refOf } from '../../kube/index.ts';
import { addMachineHook } from './controller.ts';
import type { MachineHook } from './definition.ts';

/** Where a hook runs. */
export interface RunOptions {
  /** Path of a kubeconfig. Without one, the process is a Pod. */
  readonly kubeconfig?: string | undefined;
  /** `https://HOST:PORT` of the API server, of a Pod. Default: that of the Service `kubernetes`. */
  readonly server?: string;
  /** Ends the work; by default nothing does, and the process is ended. */
  readonly signal?: AbortSignal;
}

async function connect({ kubeconfig, server = 'https://kubernetes.default.svc' }: RunOptions): Promise<KubeClient> {
  const source = kubeconfig === undefined ? { inCluster: { server } } : { path: kubeconfig };
  return createKubeClient({ access: await loadClusterAccess(source), clock: systemClock });
}

/** Keeps the hook on all machines that it selects, and works on those that are being deleted, until the signal fires. */
export async function runMachineHook(hook: MachineHook, options: RunOptions = {}): Promise<void> {
  const { signal = new AbortController().signal } = options;
  const kube = await connect(options);
  try {
    const log = await createLogger({ level: 'info' });
    const manager = createManager({ kube, clock: systemClock, log, signal });
    addMachineHook(manager, hook);
    await manager.start();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await manager.whenStopped();
  } finally {
    kube.close();
  }
}

/** Removes the hook from all machines: without it, machines wait for a program that was uninstalled. Returns how many had it. */
export async function removeMachineHook(
  hook: Pick<MachineHook, 'stage' | 'name' | 'owner'>,
  options: RunOptions = {},
): Promise<number> {
  const kube = await connect(options);
  const { stage, name, owner } = hook;
  try {
    const { items } = await kube.list(machineResource);
    const hooksOf = (object: (typeof items)[number]) => parseMachine(object).spec?.lifecycleHooks?.[stage] ?? [];
    const isOurs = (one: { name: string; owner: string }): boolean => one.name === name && one.owner === owner;
    const found = items.filter((object) => hooksOf(object).some(isOurs));
    await mapLimit(found, 10, async (object) => {
      const left = hooksOf(object).filter((one) => !isOurs(one));
      const lifecycleHooks = { [stage]: left.length === 0 ? null : left.map((one) => ({ ...one })) };
      const patch = { metadata: preconditionOf(object), spec: { lifecycleHooks } } as JsonObject;
      await kube.patch(refOf(object), patch, { fieldManager: `machine-hook-${owner}`.slice(0, 128) });
    });
    return found.length;
  } finally {
    kube.close();
  }
}
