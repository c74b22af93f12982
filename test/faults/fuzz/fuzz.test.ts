/** @module-tag long */
import { afterAll, expect, test } from 'vitest';
import { openFuzzer } from './run.ts';
import { fuzzTargets } from './targets.ts';

const fuzzer = openFuzzer();
afterAll(() => fuzzer[Symbol.asyncDispose]());

const seed = 20_260_101;
/** Of targets whose inputs take long; `npm run fuzz` tries more. */
const counts: Readonly<Record<string, number>> = {
  'upload requests': 20,
  archives: 50,
  operators: 20,
  catalogs: 50,
  'git servers': 25,
  'git packs': 25,
  'web archives': 30,
  registries: 20,
};

test.each(fuzzTargets.map(({ name }) => name))(
  '%s: corrupted inputs are refused with an error or accepted',
  async (name) => {
    const count = counts[name] ?? 200;
    const report = await fuzzer.fuzz(name, { seed, count, forMs: 200_000 });
    expect(report.findings.map(({ number, text }) => `${number}: ${text}`)).toEqual([]);
    // Some inputs are not corrupted: a target that refuses everything tries nothing.
    expect(report.accepted).toBeGreaterThan(0);
    expect(report.inputs).toBe(count);
  },
);

test('input that throws, hangs or rejects in the background is found, and the rest is still tried', async () => {
  const { findings, accepted } = await fuzzer.fuzz('broken on purpose', {
    seed,
    count: 20,
    forMs: 200_000,
    patienceMs: 1_000,
  });
  const found = new Set(findings.map(({ input, text }) => `${input.toString()}: ${text.split('\n', 1)[0]}`));
  expect(found).toContain('throw: RangeError: thrown on purpose');
  expect(found).toContain('hang: took longer than 1 s');
  expect([...found].some((line) => line.includes('Error: rejected on purpose'))).toBe(true);
  expect(accepted).toBeGreaterThan(0);
});
