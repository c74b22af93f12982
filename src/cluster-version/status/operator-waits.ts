import { expectedDurationMs, type OperatorWaits } from './timing.ts';

/** Since when objects are waited for. Kept for one update; a restarted process continues with what the status reports. */
export class WaitTimes implements OperatorWaits {
  readonly #since = new Map<string, number>();
  readonly #expected = new Map<string, number>();

  sinceMs(name: string): number | undefined {
    return this.#since.get(name);
  }

  expectedMs(name: string): number {
    return this.#expected.get(name) ?? expectedDurationMs(name, '');
  }

  /** The annotation of an operator's manifest. */
  expect(name: string, annotation: string): void {
    this.#expected.set(name, expectedDurationMs(name, annotation));
  }

  begin(name: string, nowMs: number): void {
    if (!this.#since.has(name)) this.#since.set(name, nowMs);
  }

  end(name: string): void {
    this.#since.delete(name);
  }

  /** Another update has begun. */
  clear(): void {
    this.#since.clear();
    this.#expected.clear();
  }
}
