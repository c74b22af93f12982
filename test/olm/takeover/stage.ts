import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/index.ts';
import { isReached } from '../play.ts';
import { type Action, slugOf } from '../scenario.ts';

const limitMs = 120_000;
const plans = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' };

/** Fills in what texts of the world stand for. */
export function filler(addresses: ReadonlyMap<string, string>): <T>(value: T) => T {
  return <T>(value: T): T => {
    const text = JSON.stringify(value)
      .replaceAll('$id', slugOf('takeover'))
      .replace(/\$catalog\/([\w-]+)/g, (_all, name: string) => addresses.get(name) ?? '');
    return JSON.parse(text) as T;
  };
}

async function approve(kube: KubeClient, namespace: string): Promise<void> {
  for (const { metadata } of (await kube.list({ ...plans, namespace })).items) {
    const ref = { ...plans, namespace, name: metadata.name ?? '' };
    await kube.patch(ref, { spec: { approved: true } }, { fieldManager: 'user' });
  }
}

/** Does what a user does; a rest waits for its state alone.
 *  @throws Error naming a state that is not reached */
export async function act(kube: KubeClient, action: Action): Promise<void> {
  if ('apply' in action) {
    await kube.apply(action.apply as unknown as KubeObject, { fieldManager: 'user', force: true });
  } else if ('approve' in action) {
    await approve(kube, action.approve);
  } else if ('patch' in action) {
    await kube.patch(action.patch, action.merge as JsonObject, { fieldManager: 'user' });
  } else if ('rest' in action && action.until !== undefined) {
    const endMs = Date.now() + limitMs;
    while (!(await isReached(kube, action.until))) {
      if (Date.now() > endMs) throw new Error(`not reached: ${action.rest}: ${JSON.stringify(action.until)}`);
      await pause(200);
    }
  } else {
    throw new Error(`no such action here: ${JSON.stringify(action)}`);
  }
}

/** Waits until nothing has changed for a while. */
export async function untilQuiet(read: () => Promise<unknown>, quietMs: number): Promise<void> {
  let last = '';
  let sinceMs = Date.now();
  while (Date.now() - sinceMs < quietMs) {
    const text = JSON.stringify(await read());
    if (text !== last) sinceMs = Date.now();
    last = text;
    await pause(250);
  }
}
