import { type Clock, systemClock } from '../../src/base/index.ts';

/** A clock that goes `speed` times as fast: what waits for minutes waits for moments. */
export function acceleratedClock(speed: number): Clock {
  const startMs = systemClock.now();
  return {
    now: () => startMs + (systemClock.now() - startMs) * speed,
    sleep: (ms, options) => systemClock.sleep(ms / speed, options),
  };
}
