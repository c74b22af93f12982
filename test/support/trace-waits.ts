/** A vitest setup file that reports where a test that timed out waits. It records the stack of every promise, which is slow: `npm test` runs tests that
 *  timed out a second time with it (LONGSHORE_TRACE_WAITS=1). */
import { createHook } from 'node:async_hooks';
import { afterEach, beforeEach } from 'vitest';

const framesOfInterest = /\.test\.ts:\d+:\d+|\/test\/[^\n]*\.ts:\d+:\d+/;
const ownFile = /trace-waits\.ts/;

/** Pending promises: where the test, or what it called in `test/`, made each of them. */
const pending = new Map<number, string>();

function placeOf(stack: string): string | undefined {
  const frames = stack.split('\n').filter((line) => framesOfInterest.test(line) && !ownFile.test(line));
  return frames.find((line) => line.includes('.test.ts'))?.trim() ?? frames[0]?.trim();
}

const hook = createHook({
  init(id, type) {
    if (type !== 'PROMISE') return;
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 30;
    const place = placeOf(new Error('made here').stack ?? '');
    Error.stackTraceLimit = stackTraceLimit;
    if (place !== undefined) pending.set(id, place);
  },
  before: (id) => void pending.delete(id),
  destroy: (id) => void pending.delete(id),
  promiseResolve: (id) => void pending.delete(id),
});

beforeEach(() => {
  pending.clear();
  hook.enable();
});

afterEach(({ task }) => {
  hook.disable();
  const hasTimedOut = task.result?.errors?.some(({ message }) => message.includes('timed out')) === true;
  if (!hasTimedOut) return;
  const places = [...new Set(pending.values())];
  process.stderr.write(`${[`"${task.name}" waits`, ...places.map((place) => `  ${place}`)].join('\n')}\n`);
});
