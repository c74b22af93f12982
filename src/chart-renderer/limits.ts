const mebibyte = 1024 * 1024;

/** What one run of helm may use. */
export interface RunLimits {
  /** Of the processor; a run that is never scheduled uses none. */
  readonly processorSeconds: number;
  readonly memoryBytes: number;
  readonly outputBytes: number;
  /** Of the wall clock. */
  readonly deadlineMs: number;
}

/** A hundred times what usual charts take. */
export const defaultRunLimits: RunLimits = {
  processorSeconds: 20,
  memoryBytes: 512 * mebibyte,
  outputBytes: 64 * mebibyte,
  deadlineMs: 3 * 60_000,
};
