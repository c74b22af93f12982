import { TerminalError } from '../base/index.ts';

const maxListed = 20;
/** A single fault may have any length; several have to fit into a condition. */
const maxListedLength = 500;

function shortened(text: string): string {
  return text.length > maxListedLength ? `${text.slice(0, maxListedLength)}…` : text;
}

/** Several faults of a bundle, a line each. */
export class BundleFaults extends TerminalError {
  readonly faults: readonly TerminalError[];

  constructor(first: TerminalError, others: readonly TerminalError[]) {
    const faults = [first, ...others];
    const lines = [...new Set(faults.map(({ message }) => shortened(message)))];
    if (faults.length >= maxListed) lines.push('there may be more');
    super(first.reason, lines.join('\n'), { cause: first });
    this.faults = faults;
  }
}

/** The error with `prefix` before its message, or before each of its faults. */
export function withPrefix(prefix: string, error: TerminalError): TerminalError {
  const [first, ...others] = error instanceof BundleFaults ? error.faults : [];
  if (first !== undefined) {
    return new BundleFaults(
      withPrefix(prefix, first),
      others.map((other) => withPrefix(prefix, other)),
    );
  }
  return new TerminalError(error.reason, `${prefix}${error.message}`, { cause: error });
}

/** What is wrong with the files of a bundle: reading goes on after a fault, so that one error reports all of them. */
export class ReadingFaults {
  readonly #errors: TerminalError[] = [];

  /** Does `work`, unless there are too many faults already. What it throws is kept for `assertNone`. */
  attempt(work: () => void): void {
    if (this.#errors.length >= maxListed) return;
    try {
      work();
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      this.#errors.push(...(thrown instanceof BundleFaults ? thrown.faults : [thrown]));
    }
  }

  /** @throws TerminalError the only fault as it is
   *  @throws BundleFaults several */
  assertNone(): void {
    const [first, ...others] = this.#errors;
    if (first === undefined) return;
    throw others.length === 0 ? first : new BundleFaults(first, others);
  }
}
