import type { Clock } from '../../src/base/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { Appointments } from './appointments.ts';
import { type Controller, ignoreNotFound, objectsIn, typeOf } from './controller.ts';

const as = 'system:apiserver';
/** The default of kube-apiserver's `--event-ttl`. */
const lifetimeMs = 60 * 60_000;
const sweepMs = 5 * 60_000;
/** The key that stands for a look at all Events; those of Events have a `/`. */
const sweep = 'sweep';

/** When an Event was last written. */
function writtenMs({ metadata }: KubeObject): number {
  const times = [metadata.creationTimestamp, ...objectsIn(metadata.managedFields).map(({ time }) => time)];
  const written = times.filter((time) => typeof time === 'string').map((time) => Date.parse(time));
  return Math.max(...written.filter((ms) => !Number.isNaN(ms)));
}

/** One that is from later than its own lifetime was written while the clock was wrong. */
function isExpired(event: KubeObject, nowMs: number): boolean {
  return Math.abs(nowMs - writtenMs(event)) > lifetimeMs;
}

/** Deletes Events that were not written to for an hour, as kube-apiserver does: there would be more of them for as long as the data folder is used. */
export function expiredEvents(cluster: Cluster, clock: Clock): Controller {
  let again: (key: string) => void = () => {};
  let appointments: Appointments | undefined;
  const lookAtAll = async (): Promise<void> => {
    const where = (event: KubeObject): boolean => isExpired(event, clock.now());
    for await (const { metadata } of cluster.eachInTurns(typeOf(cluster, 'events'), { where })) {
      again(`${metadata.namespace}/${metadata.name}`);
    }
    appointments?.set(sweep, sweepMs);
  };
  return {
    name: 'expired-events',
    keysOf: () => [],
    start: (requeue) => {
      again = requeue;
      appointments = new Appointments(clock, again);
      again(sweep);
      return appointments;
    },
    work: async (key) => {
      if (key === sweep) return await lookAtAll();
      const [namespace = '', name = ''] = key.split('/');
      const type = typeOf(cluster, 'events');
      const event = cluster.get(type, { namespace, name });
      if (event === undefined || !isExpired(event, clock.now())) return;
      await ignoreNotFound(cluster.delete(type, { namespace, name }, { as }));
    },
  };
}
