import type { UpdateRisk } from './graph.ts';

/** Whether a cluster is exposed to a risk. */
export type Exposure =
  | { readonly status: 'exposed' }
  | { readonly status: 'not exposed' }
  /** `problem`: why the rules could not be evaluated. */
  | { readonly status: 'unknown'; readonly problem: string };

/** The condition `Recommended` of a conditional update. */
export interface Recommendation {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

const reasonPattern = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const maxReasonLength = 1024;
const notExposed: Recommendation = {
  status: 'True',
  reason: 'NotExposedToRisks',
  message: 'The update is recommended, because none of the conditional update risks apply to this cluster.',
};
const allAccepted: Recommendation = {
  status: 'True',
  reason: 'AllExposedRisksAccepted',
  message:
    'The update is recommended, because either risk does not apply to this cluster or it is accepted by cluster admins.',
};

/** A risk, what is known about it, and whether the administrators accept it. */
export interface EvaluatedRisk {
  readonly risk: UpdateRisk;
  readonly exposure: Exposure;
  readonly isAccepted: boolean;
}

function recommendationOf({ risk, exposure, isAccepted }: EvaluatedRisk): Recommendation {
  if (exposure.status === 'not exposed') return notExposed;
  if (isAccepted) return allAccepted;
  const { name, message, url } = risk;
  if (exposure.status === 'unknown') {
    const text = `Could not evaluate exposure to update risk ${name} (${exposure.problem})\n  ${name} description: ${message}\n  ${name} URL: ${url}`;
    return { status: 'Unknown', reason: 'EvaluationFailed', message: text };
  }
  const reason = name.length <= maxReasonLength && reasonPattern.test(name) ? name : 'ExposedToRisks';
  return { status: 'False', reason, message: `${message} ${url}` };
}

/** Reasons that give way to another one, and to which. */
const yielding: Readonly<Record<string, readonly string[]>> = {
  EvaluationFailed: ['ExposedToRisks'],
};

function mergedReason(a: string, b: string): string {
  if (a === b) return a;
  if (yielding[a]?.includes(b)) return b;
  return yielding[b]?.includes(a) ? a : 'MultipleReasons';
}

/** Joins the risks of an update, in the order of the graph. Risks that do not apply, or are accepted, leave no trace where others remain, in any order.
 *  @see docs/spec/cluster-version.md#recommended-condition-of-a-conditional-update */
export function recommend(risks: readonly EvaluatedRisk[]): Recommendation {
  const each = risks.map(recommendationOf);
  const open = each.filter(({ status }) => status !== 'True');
  if (open.length === 0) return each.includes(allAccepted) ? allAccepted : notExposed;
  return {
    status: open.some(({ status }) => status === 'False') ? 'False' : 'Unknown',
    reason: open.map(({ reason }) => reason).reduce(mergedReason),
    message: open.map(({ message }) => message).join('\n\n'),
  };
}
