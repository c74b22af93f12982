import { type Explained, explain } from '../support/explanation.ts';
import { differencesOf } from './compare.ts';
import { explanations } from './explained.ts';
import type { Expectation } from './play.ts';
import type { Recording, Recordings } from './scenario.ts';

/** How a run of a scenario differs from its recording, by whether that is explained. */
export function explainedDifferences(id: string, reference: Recording, ours: Recording): Explained {
  return explain(id, differencesOf(reference, ours), explanations);
}

/** How a second run of the reference differs from its recording, apart from what it shows by chance. */
export function repeatedDifferences(id: string, before: Recording, now: Recording): Explained {
  const chances = explanations.filter(({ kind }) => kind === 'chance');
  return explain(id, differencesOf(before, now), chances);
}

/** What the scenarios of an area are to show: what was recorded, but for what is explained. */
export function expectationFrom(recorded: Recordings): (id: string) => Expectation {
  return (id) => (snapshots) => {
    const whole = recorded[id];
    if (whole === undefined) return true;
    const labels = new Set(snapshots.map(({ label }) => label));
    const reference = { ...whole, snapshots: whole.snapshots.filter(({ label }) => labels.has(label)) };
    return explainedDifferences(id, reference, { title: whole.title, snapshots }).unexplained.length === 0;
  };
}
