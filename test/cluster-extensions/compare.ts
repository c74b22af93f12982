import { type Difference, differencesAt, differencesByRest } from '../support/differences.ts';
import { type Explained, explain } from '../support/explanation.ts';
import { explanations } from './explained.ts';
import type { Expectation } from './play.ts';
import type { Recording, Recordings } from './scenario.ts';

/** Where two recordings of one scenario differ, in the order of its points of rest; empty when they agree. */
export function differencesOf(theirs: Recording, ours: Recording): Difference[] {
  return differencesByRest(theirs.snapshots, ours.snapshots, (their, own) => [
    ...differencesAt('objects', their.objects, own.objects),
    ...differencesAt('answers', their.answers ?? {}, own.answers ?? {}),
  ]);
}

/** The differences of a scenario, by whether they are explained. */
export function explainedDifferences(id: string, theirs: Recording, ours: Recording): Explained {
  return explain(id, differencesOf(theirs, ours), explanations);
}

/** A rest of ours is over when it shows what was recorded, but for explained differences. */
export function expectationFrom(recorded: Recordings): (id: string) => Expectation {
  return (id) => {
    const theirs = recorded[id];
    if (theirs === undefined) return () => true;
    return (snapshot) => {
      const same = theirs.snapshots.filter(({ label }) => label === snapshot.label);
      const [title, snapshots] = [theirs.title, [snapshot]];
      return explainedDifferences(id, { title, snapshots: same }, { title, snapshots }).unexplained.length === 0;
    };
  };
}
