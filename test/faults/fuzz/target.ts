/** What became of an input: taken, or refused with an error. */
export type Result = 'accepted' | 'refused';

/** A target that is ready. */
export interface OpenTarget extends AsyncDisposable {
  /** @throws whatever is a finding: an error that is not a refusal, a broken promise about what was accepted */
  attempt(input: Buffer): Promise<Result> | Result;
}

/** Code that takes bytes from outside. */
export interface FuzzTarget {
  readonly name: string;
  /** Valid inputs, which are corrupted. */
  readonly seeds: readonly Buffer[];
  /** What is strewn in. */
  readonly words: readonly string[];
  open(): Promise<OpenTarget>;
}

/** A broken promise about an input that was not refused. */
export class BrokenPromise extends Error {}

/** Throws when what was promised of an accepted input does not hold. */
export function promised(holds: boolean, what: string): void {
  if (!holds) throw new BrokenPromise(what);
}

/** A target without anything to open. */
export function pureTarget(
  facts: Pick<FuzzTarget, 'name' | 'seeds' | 'words'>,
  attempt: OpenTarget['attempt'],
): FuzzTarget {
  return {
    ...facts,
    open: () => Promise.resolve({ attempt, [Symbol.asyncDispose]: () => Promise.resolve() }),
  };
}
