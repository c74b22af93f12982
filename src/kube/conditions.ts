import { formatTimestamp, printable } from '../base/index.ts';

/** `metav1.Condition`. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

const maxMessageCharacters = 32_768;

/** `conditions` with one set: `lastTransitionTime` moves only when `status` changes, other conditions stay where they are.
 *  Messages longer than the API takes are cut; what steers a terminal is written out. */
export function setCondition(
  conditions: readonly Condition[],
  desired: Omit<Condition, 'lastTransitionTime'>,
  nowMs: number,
): readonly Condition[] {
  const before = conditions.find(({ type }) => type === desired.type);
  const message = printable(desired.message).slice(0, maxMessageCharacters);
  const lastTransitionTime = before?.status === desired.status ? before.lastTransitionTime : formatTimestamp(nowMs);
  const next: Condition = { ...desired, message, lastTransitionTime };
  if (before === undefined) return [...conditions, next];
  return conditions.map((condition) => (condition === before ? next : condition));
}
