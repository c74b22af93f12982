import { expect, test } from 'vitest';
import { systemClock } from '../src/base/index.ts';
import { type AdmittedUpload, UploadSlots } from './upload-slots.ts';

function open() {
  let nowMs = 0;
  const slots = new UploadSlots({ ...systemClock, now: () => nowMs });
  return {
    admit: (user: string, bundleName: string, bytes = 0): AdmittedUpload | undefined =>
      slots.admit({ user, bundleName, receivedBytes: () => bytes }),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;
const aborted = (uploads: readonly (AdmittedUpload | undefined)[]): (boolean | undefined)[] =>
  uploads.map((upload) => upload?.signal.aborted);

test('a user may have all slots, until others want some', () => {
  const { admit } = open();
  const mine = names.map((name) => admit('mallory', name));
  expect(admit('mallory', 'more')).toBeUndefined();
  const others = names.map((name) => admit('alice', name));
  expect(aborted(mine)).toEqual([false, false, false, false, true, true, true, true]);
  expect(others.map((upload) => upload !== undefined)).toEqual([true, true, true, true, false, false, false, false]);
  expect(String(mine.at(-1)?.signal.reason)).toContain('the upload for bundle "h" has made room for one of others');
});

test('of users with one upload each none makes room, and the end of an upload does', () => {
  const { admit } = open();
  const uploads = names.map((user) => admit(user, user));
  expect(admit('alice', 'mine')).toBeUndefined();
  expect(aborted(uploads)).not.toContain(true);
  uploads[0]?.[Symbol.dispose]();
  expect(admit('alice', 'mine')).toBeDefined();
});

test('the slowest upload makes room, once it has had its time', () => {
  const { admit, pass } = open();
  const fast = names.slice(0, 6).map((user) => admit(user, user, 1024 * 1024));
  const slow = admit('g', 'slow', 100_000);
  const slowest = admit('h', 'slowest', 10);
  pass(9_000);
  expect(admit('alice', 'early')).toBeUndefined();
  pass(1_000);
  expect(admit('alice', 'mine')).toBeDefined();
  expect(aborted([slow, slowest])).toEqual([false, true]);
  expect(admit('bob', 'next')).toBeDefined();
  expect(aborted([slow])).toEqual([true]);
  expect(admit('carol', 'late')).toBeUndefined();
  expect(aborted(fast)).not.toContain(true);
});
