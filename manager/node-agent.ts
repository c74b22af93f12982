import type { Clock, Logger } from '../src/base/index.ts';
import { createManager } from '../src/controller/index.ts';
import type { KubeClient } from '../src/kube/index.ts';
import { addNodeAgent, FileHost, runOnNode } from '../src/machines/index.ts';

export interface NodeAgentContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly nodeName: string;
  /** Where the file system of the node is. */
  readonly root: string;
  /** Program and arguments that restart the node. */
  readonly rebootCommand: readonly string[] | undefined;
  /** Whether programs of the node are run. */
  readonly runsCommands: boolean;
}

/** Starts the agent of a node; disposing it ends it.
 *  @throws NoKindMatch when the cluster has no pools */
export async function startNodeAgent(context: NodeAgentContext): Promise<AsyncDisposable> {
  const { kube, clock, log, nodeName, root, rebootCommand, runsCommands } = context;
  const stop = new AbortController();
  const manager = createManager({ kube, clock, log, signal: stop.signal });
  const [program, ...args] = rebootCommand ?? [];
  const host = new FileHost({
    root,
    ...(runsCommands ? { run: runOnNode(root) } : {}),
    rebootCommand: program === undefined ? undefined : [program, ...args],
  });
  addNodeAgent(manager, { nodeName, hostOf: () => host });
  await manager.start();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await manager.whenStopped();
    },
  };
}
