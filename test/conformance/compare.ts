import type { Step } from './probe.ts';
import type { Outcome } from './runner.ts';
import { differencesOf, type Sighting } from './seen.ts';
import type { ConformanceCase } from './suite.ts';

/** How a case on the real server compares with the same on the embedded one. */
export interface Result {
  readonly sort: 'agree' | 'explained' | 'differ' | 'notCompared';
  /** What is wrong, for people; empty when nothing is. */
  readonly lines: readonly string[];
  /** What to record. */
  readonly sighting?: Sighting;
}

function stalenessOf(steps: readonly Step[], recorded: Sighting | undefined): string[] {
  const lines = recorded === undefined ? [] : differencesOf(steps, recorded.kube);
  return lines.length === 0 ? [] : ['the record is not what the real server shows now (--record):', ...lines];
}

function failureOf(outcomes: { readonly kube: Outcome; readonly ours: Outcome }): Result | undefined {
  const { kube, ours } = outcomes;
  if (kube === undefined || ours === undefined) return { sort: 'notCompared', lines: [] };
  if ('failure' in kube) return { sort: 'differ', lines: [`the case fails on the real server: ${kube.failure}`] };
  if (!('failure' in ours)) return undefined;
  const sighting = { kube: kube.steps };
  return { sort: 'differ', lines: [`the case fails on the embedded server: ${ours.failure}`], sighting };
}

/** Sets one case's outcomes against each other, and the real one against its record where there is one to hold it to. */
export function compare(
  conformanceCase: ConformanceCase,
  outcomes: { readonly kube: Outcome; readonly ours: Outcome },
  recorded: Sighting | undefined,
): Result {
  const failed = failureOf(outcomes);
  if (failed !== undefined) return failed;
  const { kube, ours } = outcomes as { kube: { steps: readonly Step[] }; ours: { steps: readonly Step[] } };
  const lines = differencesOf(kube.steps, ours.steps);
  const stale = stalenessOf(kube.steps, recorded);
  if (conformanceCase.differs === undefined) {
    const complaints = [...lines, ...stale];
    return { sort: complaints.length === 0 ? 'agree' : 'differ', lines: complaints, sighting: { kube: kube.steps } };
  }
  const sighting = { kube: kube.steps, embedded: ours.steps };
  if (lines.length === 0) return { sort: 'differ', lines: ['the servers agree: remove its `differs`'], sighting };
  return { sort: stale.length === 0 ? 'explained' : 'differ', lines: stale, sighting };
}
