import type { ClusterRelease, ConditionalUpdate, UpdateRisk as StoredRisk, UpdateCondition } from '../../api/index.ts';
import { setCondition } from '../../kube/index.ts';
import {
  type AvailableRelease,
  type AvailableUpdates,
  type EvaluatedRisk,
  type Exposure,
  newestFirst,
  recommend,
  type UpdateRisk,
} from '../../update-graph/index.ts';

/** The updates of a status. */
export interface Availability {
  /** Null where there is none: the reference does not distinguish these. */
  readonly availableUpdates: readonly ClusterRelease[] | null;
  readonly conditionalUpdates: readonly ConditionalUpdate[];
  /** Each risk of these once, in the order of the names. */
  readonly conditionalUpdateRisks: readonly StoredRisk[];
}

/** What decides about updates beside the graph. */
export interface ClusterFacts {
  /** Names of risks that administrators accept. */
  readonly acceptedRisks: ReadonlySet<string>;
  /** Those of the status, for the times of their conditions. */
  readonly previous: readonly ConditionalUpdate[];
  readonly nowMs: number;
}

function storedRelease({ version, image, url, channels, architecture }: AvailableRelease): ClusterRelease {
  return {
    ...(architecture === 'multi' ? { architecture: 'Multi' as const } : {}),
    version,
    image,
    ...(url === '' ? {} : { url }),
    ...(channels.length === 0 ? {} : { channels }),
  };
}

const appliesReasons = {
  exposed: { status: 'True', reason: 'Match', message: '' },
  'not exposed': { status: 'False', reason: 'NotMatch', message: '' },
} as const;

function appliesCondition(risk: UpdateRisk, exposure: Exposure): Omit<UpdateCondition, 'lastTransitionTime'> {
  if (exposure.status !== 'unknown') return { type: 'Applies', ...appliesReasons[exposure.status] };
  const { message } = recommend([{ risk, exposure, isAccepted: false }]);
  return { type: 'Applies', status: 'Unknown', reason: 'EvaluationFailed', message };
}

function storedRisk({ risk, exposure }: EvaluatedRisk, previous: readonly StoredRisk[], nowMs: number): StoredRisk {
  const before = previous.find(({ name }) => name === risk.name)?.conditions ?? [];
  const { name, url, message, matchingRules } = risk;
  const rules = matchingRules.map(({ type, promql }) =>
    type === 'Always' || promql === undefined
      ? { type: 'Always' as const }
      : { type: 'PromQL' as const, promql: { promql } },
  );
  const conditions = setCondition(before, appliesCondition(risk, exposure), nowMs);
  return { name, url, message, matchingRules: rules, conditions };
}

function conditionalUpdate(
  release: AvailableRelease,
  risks: readonly EvaluatedRisk[],
  { previous, nowMs }: ClusterFacts,
): ConditionalUpdate {
  const before = previous.find(({ release: { image } }) => image === release.image);
  const recommended = { type: 'Recommended', ...recommend(risks) };
  return {
    release: storedRelease(release),
    riskNames: risks.map(({ risk }) => risk.name).toSorted(),
    risks: risks.map((risk) => storedRisk(risk, before?.risks ?? [], nowMs)),
    conditions: setCondition(before?.conditions ?? [], recommended, nowMs),
  };
}

function isRecommended({ conditions = [] }: ConditionalUpdate): boolean {
  return conditions.some(({ type, status }) => type === 'Recommended' && status === 'True');
}

/** The updates of a graph as a status has them: those with risks in `conditionalUpdates`, and in `availableUpdates` too as long as they are recommended.
 *  `exposureOf` is asked for each risk once, first for those of the highest version.
 *  @see docs/spec/cluster-version.md#recommended-condition-of-a-conditional-update */
export function evaluateUpdates(
  updates: AvailableUpdates,
  exposureOf: (risk: UpdateRisk) => Exposure,
  facts: ClusterFacts,
): Availability {
  const exposures = new Map<string, Exposure>();
  const exposure = (risk: UpdateRisk): Exposure => {
    const known = exposures.get(JSON.stringify(risk)) ?? exposureOf(risk);
    exposures.set(JSON.stringify(risk), known);
    return known;
  };
  for (const { risks } of updates.conditional) {
    for (const risk of risks.toSorted((a, b) => (a.name < b.name ? -1 : 1))) exposure(risk);
  }
  const conditional = updates.conditional.map(({ release, risks }) => {
    const evaluated = risks.map((risk) => ({
      risk,
      exposure: exposure(risk),
      isAccepted: facts.acceptedRisks.has(risk.name),
    }));
    return conditionalUpdate(release, evaluated, facts);
  });
  const recommended = new Set(conditional.filter(isRecommended).map(({ release }) => release.image));
  const all = [...updates.available, ...updates.conditional.map(({ release }) => release)];
  const isAvailable = (release: AvailableRelease): boolean =>
    updates.available.includes(release) || recommended.has(release.image);
  const available = newestFirst(all.filter(isAvailable), ({ version }) => version).map(storedRelease);
  const risks = new Map(conditional.flatMap((update) => update.risks.map((risk) => [risk.name, risk])));
  return {
    availableUpdates: available.length === 0 ? null : available,
    conditionalUpdates: conditional,
    conditionalUpdateRisks: [...risks.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
