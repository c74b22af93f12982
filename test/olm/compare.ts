import type { JsonValue } from '../../src/base/index.ts';
import { type Difference, differencesAt, differencesByRest, differentLines } from '../support/differences.ts';
import type { Recording } from './scenario.ts';

/** Where two recordings of one scenario differ, in the order of its points of rest; empty when they agree. */
export function differencesOf(olm: Recording, ours: Recording): Difference[] {
  return differencesByRest(olm.snapshots, ours.snapshots, (theirs, own) => [
    ...differencesAt('restless', theirs.restless ?? false, own.restless ?? false),
    ...differencesAt('objects', theirs.objects, own.objects),
    ...differencesAt('phases', theirs.phases as Record<string, JsonValue>, own.phases as Record<string, JsonValue>),
    ...differencesAt('answers', theirs.answers ?? {}, own.answers ?? {}),
    ...differentLines('events', theirs.events, own.events),
    ...differentLines('metrics', theirs.metrics, own.metrics),
  ]);
}
