import { afterEach, beforeEach } from 'vitest';
import { MemoryCluster } from './memory-cluster.ts';
import { SteppedClock } from './stepped-clock.ts';

/** What controllers run on. */
export interface ControllerWorld {
  readonly cluster: MemoryCluster;
  /** Stands at the start of 2030 until it is moved. */
  readonly clock: SteppedClock;
}

/** Starts controllers on a cluster of its own before each test of a file, and stops them after it. */
export function runForEachTest(start: (world: ControllerWorld) => AsyncDisposable): void {
  let running: AsyncDisposable | undefined;
  beforeEach(() => {
    running = start({ cluster: new MemoryCluster(), clock: new SteppedClock(Date.parse('2030-01-01T00:00:00Z')) });
  });
  afterEach(async () => {
    await running?.[Symbol.asyncDispose]();
  });
}
