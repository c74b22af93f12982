import type { PoolDifference } from './compare.ts';

/** Why something differs. */
interface Explanation {
  /** Scenarios; absent: all. */
  readonly scenarios?: readonly string[];
  readonly path: RegExp;
  readonly reason: string;
}

const explanations: readonly Explanation[] = [
  {
    path: /^event MachineConfigPool \w+: Normal Updating: Pool \w+ now targeting/,
    reason: 'The reference has this Event, and never reaches it: it compares a pool with itself.',
  },
  {
    path: /^event MachineConfigPool \w+: Normal RolloutHeld: /,
    reason: 'An Event reports when something begins to hold an update; the reference logs it, or waits in silence.',
  },
  {
    scenarios: ['degraded', 'degraded-at-target', 'degraded-back', 'degraded-elsewhere', 'unreconcilable'],
    path: /^MachineConfigPool worker status conditions (NodeDegraded|Degraded)$/,
    reason:
      'The reference takes reasons from MachineConfigNodes, and repeats those of the annotations; Longshore takes them from the annotations. The reason of the condition is a word, as the API demands.',
  },
  {
    scenarios: ['limit-invalid', 'limit-negative'],
    path: /status conditions Updating$|InvalidMaxUnavailable/,
    reason: 'The condition and an Event report why no node is started; the reference logs it.',
  },
  {
    scenarios: ['limit-negative'],
    path: /^Node /,
    reason: 'A negative limit is refused before nodes are marked as waiting for an update.',
  },
  {
    scenarios: ['kernel-type', 'ignition-version', 'file-mode', 'relative-path'],
    path: /conditions RenderDegraded$/,
    reason: 'The message names the MachineConfig; the words of the Ignition library differ.',
  },
  {
    scenarios: ['arbiter'],
    path: /status conditions Updating$/,
    reason: 'The condition reports what the pool waits for.',
  },
  {
    scenarios: ['drain-verb'],
    path: /UnknownDrainVerb/,
    reason: 'An Event reports the request that does not exist; the reference logs it.',
  },
  {
    scenarios: ['uncordon-foreign'],
    path: /^(Node w1|MachineConfigPool worker)/,
    reason: 'The reference uncordons what an administrator has cordoned; Longshore does not.',
  },
];

/** The reason of a difference; undefined where there is none. */
export function reasonOf(scenario: string, { path }: PoolDifference): string | undefined {
  const isFor = ({ scenarios, path: pattern }: Explanation): boolean =>
    (scenarios?.includes(scenario) ?? true) && pattern.test(path);
  return explanations.find(isFor)?.reason;
}

/** Scenarios and reasons, for people. */
export function explanationRows(): readonly (readonly [scenarios: string, reason: string])[] {
  return explanations.map(
    ({ scenarios, reason }) => [scenarios?.map((id) => `\`${id}\``).join(', ') ?? 'all', reason] as const,
  );
}
