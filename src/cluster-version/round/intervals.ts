/** The waits between rounds, which derive from one minimum interval.
 *  @see docs/spec/cluster-version.md#retry */
export interface Intervals {
  /** Between two rounds that succeed. */
  readonly minimumMs: number;
  /** A number of [0, 1), for jitter. */
  readonly random: () => number;
}

/** Two minutes, and up to as much again, so that clusters do not ask at the same moment. */
export function usualIntervals(random: () => number = Math.random): Intervals {
  return { minimumMs: 120_000 * (1 + random()), random };
}

/** Within which a round ends. */
export function roundTimeoutMs({ minimumMs }: Intervals, isInstalling: boolean): number {
  return isInstalling ? minimumMs : 2 * minimumMs;
}

/** After so many rounds that failed, one after the other. */
export function pauseAfterFailureMs({ minimumMs, random }: Intervals, failures: number): number {
  const base = failures <= 3 ? (minimumMs / 16) * 2 ** failures : minimumMs;
  return base * (1 + 0.2 * random());
}
