import { type KubeObject, refOf } from '../kube/index.ts';
import type { InstallRequest } from './apply-engine.ts';
import { adoptionKey, type Inventory, mergeInventories } from './inventory.ts';
import type { InstallationProgress } from './requests.ts';

/** An installation whose beginning is recorded. */
export interface Begun extends InstallRequest {
  progress: InstallationProgress;
  recorded: Inventory;
  /** Records that an object is about to be taken over that existed before; absent where that changes nothing. */
  readonly onTakeover?: (object: KubeObject) => Promise<void>;
}

/** Which objects they are decides what the next version deletes. What comes while a record is written is in the next one, all together. */
function byUpgrade(begun: Begun): (object: KubeObject) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let adopting: string[] = [];
  const write = async (): Promise<void> => {
    next = undefined;
    begun.recorded = mergeInventories([begun.recorded, { kinds: [], namespaces: [], adopting }]);
    adopting = [];
    await begun.record(begun.recorded, begun.progress);
  };
  return async (object) => {
    adopting.push(adoptionKey(refOf(object)));
    if (next === undefined) {
      next = last.then(write, write);
      last = next;
    }
    await next;
  };
}

/** Of a first installation it is enough that some were: then only what a process knows to have created is deleted. */
function byFirst(begun: Begun): () => Promise<void> {
  let recording: Promise<void> | undefined;
  return async () => {
    begun.progress = 'TakingOver';
    recording ??= begun.record(begun.recorded, 'TakingOver');
    await recording;
  };
}

/** The installation, which records durably what it takes over, before it does. */
export function recordingTakeovers(begun: Begun): Begun {
  if (begun.progress === 'Done') return Object.assign(begun, { onTakeover: byUpgrade(begun) });
  return begun.progress === 'Creating' ? Object.assign(begun, { onTakeover: byFirst(begun) }) : begun;
}
