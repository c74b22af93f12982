import { createStore, type Store } from './store.ts';

const steps: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** The present time, which ticks. */
export const now: Store<number> = createStore(Date.now());

/** Lets relative times tick. */
export function startClock(): void {
  setInterval(() => now.set(Date.now()), 10_000);
}

/** `3 d`, `2 h`, `5 min`, `12 s`. */
export function relative(time: string, nowMs: number): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return '';
  const seconds = Math.max(0, Math.round((nowMs - ms) / 1000));
  const found = steps.find(([size]) => seconds >= size);
  return found === undefined ? `${seconds} s` : `${Math.floor(seconds / found[0])} ${found[1]}`;
}
