/** Which variable is decided next: the one that took part in a conflict last. A doubly linked list from the latest to the oldest, so that
 *  all is done in constant time and depends on nothing but what happened before. */
export class DecisionOrder {
  readonly #newer: number[] = [0];
  readonly #older: number[] = [0];
  readonly #stamps: number[] = [0];
  #latest = 0;
  #clock = 0;
  /** No variable that is later than this one is unassigned. */
  #start = 0;

  /** Adds a variable, the latest of all; numbers are given in order from 1. */
  add(variable: number): void {
    this.#link(variable);
    this.#start = variable;
  }

  /** The variable, which has a value, took part in a conflict. */
  bump(variable: number): void {
    if (this.#latest === variable) return;
    const newer = this.#newer[variable] ?? 0;
    const older = this.#older[variable] ?? 0;
    this.#older[newer] = older;
    if (older !== 0) this.#newer[older] = newer;
    if (this.#start === variable) this.#start = older === 0 ? newer : older;
    this.#link(variable);
  }

  /** The variable lost its value. */
  release(variable: number): void {
    if ((this.#stamps[variable] ?? 0) > (this.#stamps[this.#start] ?? 0)) this.#start = variable;
  }

  /** The latest variable without a value; 0: there is none. */
  next(isFree: (variable: number) => boolean): number {
    let variable = this.#start;
    while (variable !== 0 && !isFree(variable)) variable = this.#older[variable] ?? 0;
    if (variable !== 0) this.#start = variable;
    return variable;
  }

  #link(variable: number): void {
    this.#newer[variable] = 0;
    this.#older[variable] = this.#latest;
    if (this.#latest !== 0) this.#newer[this.#latest] = variable;
    this.#latest = variable;
    this.#clock += 1;
    this.#stamps[variable] = this.#clock;
  }
}
