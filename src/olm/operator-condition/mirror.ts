import type { OperatorCondition } from '../../api/index.ts';

type ReportedCondition = NonNullable<NonNullable<OperatorCondition['status']>['conditions']>[number];

/** The conditions of the status: those of `spec` with the generation that they were read from, then those that only the status has, as the first
 *  version of the kind wrote them there.
 *  @see docs/spec/olm-v0.md#operatorcondition */
export function mirrored({ spec, status }: OperatorCondition, generation: number): readonly ReportedCondition[] {
  const reported = status?.conditions ?? [];
  const written = new Map((spec?.conditions ?? []).map((condition) => [condition.type, condition]));
  const current = reported.map((condition) => {
    const own = written.get(condition.type);
    return own === undefined ? condition : { ...own, observedGeneration: generation };
  });
  const known = new Set(reported.map(({ type }) => type));
  const added = [...written.values()].filter(({ type }) => !known.has(type));
  return [...current, ...added.map((condition) => ({ ...condition, observedGeneration: generation }))];
}
