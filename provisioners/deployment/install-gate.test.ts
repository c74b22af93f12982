import { expect, test } from 'vitest';
import { PermissionsMissing } from '../../src/apply/index.ts';
import { type Clock, systemClock, TerminalError, TransientError } from '../../src/base/index.ts';
import { InstallGate } from './install-gate.ts';

const down = new TransientError('Down', 'down');
const refused = new TerminalError('Refused', 'no');
const untouched = { isUntouched: true };
const halfWay = { isUntouched: false };

function open(): { gate: InstallGate; pass: (ms: number) => void } {
  let nowMs = 0;
  const clock: Clock = { ...systemClock, now: () => nowMs };
  return {
    gate: new InstallGate(clock),
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

const gone = (owner: string | undefined) => ({ owner, mayUnblock: true, isDrift: false });
const drift = (owner: string) => ({ owner, mayUnblock: false, isDrift: true });

test('what has not failed, or has other inputs now, is tried at once', () => {
  const { gate } = open();
  expect(gate.pauseOf(gate.begin('a', 'v1'))).toBeUndefined();
  gate.failed(gate.begin('a', 'v1'), refused, untouched);
  expect(gate.pauseOf(gate.begin('a', 'v1'))?.isFinal).toBe(true);
  expect(gate.pauseOf(gate.begin('a', 'v2'))).toBeUndefined();
  expect(gate.pauseOf(gate.begin('b', 'v1'))).toBeUndefined();
  gate.forget('a');
  expect(gate.pauseOf(gate.begin('a', 'v1'))).toBeUndefined();
});

test('Q8 each failure of the same makes the wait longer, up to five minutes, and time ends it', () => {
  const { gate, pass } = open();
  const waits = Array.from({ length: 30 }, () => gate.failed(gate.begin('a', 'v1'), down, halfWay));
  expect(waits[0]).toBeLessThanOrEqual(5);
  expect(waits.at(-1)).toBeGreaterThan(200_000);
  expect(waits.at(-1)).toBeLessThanOrEqual(300_000);
  expect(gate.pauseOf(gate.begin('a', 'v1'))).toEqual({ ms: waits.at(-1), isFinal: false });
  pass(300_000);
  expect(gate.pauseOf(gate.begin('a', 'v1'))).toBeUndefined();
});

test('Q8 what the undoing of a failed upgrade removes starts no upgrade, neither its own nor that of another', () => {
  const { gate } = open();
  for (const name of ['a', 'b']) gate.failed(gate.begin(name, 'v1'), refused, halfWay);
  expect(gate.release(gone('a'))).toEqual([]);
  expect(gate.release(gone('b'))).toEqual([]);
  expect(gate.pauseOf(gate.begin('a', 'v1'))?.isFinal).toBe(true);
});

test('a removal by another client releases the deployments that had written nothing, but not the refused', () => {
  const { gate } = open();
  for (let i = 0; i < 20; i++) gate.failed(gate.begin('waiting', 'v1'), down, untouched);
  gate.failed(gate.begin('refused', 'v1'), refused, untouched);
  expect(gate.release(gone('waiting'))).toEqual([]);
  expect(gate.release(gone('other'))).toEqual(['waiting']);
  expect(gate.pauseOf(gate.begin('waiting', 'v1'))).toBeUndefined();
  expect(gate.release(gone(undefined))).toEqual(['waiting', 'refused']);
  expect(gate.pauseOf(gate.begin('refused', 'v1'))).toBeUndefined();
});

test('a removal by another client does not release those that lack permissions', () => {
  const { gate } = open();
  const missing = new PermissionsMissing('missing', new Set(['default']));
  for (let i = 0; i < 20; i++) gate.failed(gate.begin('waiting', 'v1'), missing, untouched);
  expect(gate.release(gone('other'))).toEqual([]);
  const attempt = gate.begin('waiting', 'v1');
  gate.release(gone('other'));
  expect(gate.failed(attempt, missing, untouched)).toBeGreaterThan(1_000);
});

test('a change of what is installed lets its owner try again', () => {
  const { gate } = open();
  gate.failed(gate.begin('a', 'v1'), refused, halfWay);
  expect(gate.release(drift('a'))).toEqual([]);
  expect(gate.pauseOf(gate.begin('a', 'v1'))).toBeUndefined();
});

test('a change during a try is not lost: the next try is soon', () => {
  const { gate } = open();
  for (let i = 0; i < 20; i++) gate.failed(gate.begin('a', 'v1'), down, untouched);
  const attempt = gate.begin('a', 'v1');
  gate.release(gone('other'));
  expect(gate.failed(attempt, down, untouched)).toBeLessThanOrEqual(1_000);
});

test('who looks at what was refused after a long time may try again', () => {
  const { gate, pass } = open();
  gate.failed(gate.begin('a', 'v1'), refused, halfWay);
  pass(3_600_000);
  expect(gate.pauseOf(gate.begin('a', 'v1'))).toBeUndefined();
});

test('a clock that is set back does not make a wait longer', () => {
  const { gate, pass } = open();
  for (let count = 0; count < 30; count += 1) gate.failed(gate.begin('a', 'v1'), down, halfWay);
  expect(gate.pauseOf(gate.begin('a', 'v1'))).toBeDefined();
  pass(-7_200_000);
  expect(gate.pauseOf(gate.begin('a', 'v1'))).toBeUndefined();
});
