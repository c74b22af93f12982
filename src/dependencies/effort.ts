import { TerminalError } from '../base/index.ts';

/** Units of cost for the dependencies that are evaluated for one answer, as rules of constraints have them: a tenth of a second, for which others wait.
 *  Ordinary bundles take less than a tenth of it. */
const maxCost = 200_000;
/** To compare a property is faster than what a rule does for a unit of its cost. */
const propertiesAUnit = 16;

/** How much may be evaluated of the dependencies of a bundle, whose author decides what that costs. */
export class Effort {
  /** What there is for all. */
  static readonly all: number = maxCost;
  #left: number;

  /** `shares` is the number of bundles that share what there is. */
  constructor(shares = 1) {
    this.#left = Math.ceil(maxCost / Math.max(1, shares));
  }

  /** What may still be spent. */
  get left(): number {
    return Math.max(0, this.#left);
  }

  /** More was asked for than there was: what was found since then does not count. */
  get isExceeded(): boolean {
    return this.#left < 0;
  }

  /** @throws TerminalError DependenciesTooCostly */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0)
      throw new TerminalError('DependenciesTooCostly', 'what the bundle needs takes too long to evaluate');
  }

  /** Pays for comparing that many properties.
   *  @throws TerminalError DependenciesTooCostly */
  compare(count: number): void {
    this.spend(1 + count / propertiesAUnit);
  }
}
