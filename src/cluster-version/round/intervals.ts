/** The waits between rounds, which derive from one minimum interval.
 *  @see docs/spec/cluster-version.md#retry */
export interface Intervals {
  /** Between two rounds that succeed. */
  readonly minimumMs: number;
  /** Default: those of the reference. */
  readonly tries?: TaskTries;
  /** A number of [0, 1), for jitter. */
  readonly random: () => number;
}

/** How often a task is tried, and the waits in between. */
export interface Tries {
  readonly count: number;
  readonly firstMs: number;
  readonly factor: number;
}

/** Of the two ways in which a release is applied. */
export interface TaskTries {
  readonly installing: Tries;
  readonly usual: Tries;
}

/** Those of the reference. */
export const usualTries: TaskTries = {
  installing: { count: 4, firstMs: 1_000, factor: 2 },
  usual: { count: 3, firstMs: 10_000, factor: 1.3 },
};

/** No wait is longer. */
export const maxTryPauseMs = 15_000;

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
