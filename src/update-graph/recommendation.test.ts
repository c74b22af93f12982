import { expect, test } from 'vitest';
import { type Exposure, recommend } from './recommendation.ts';

const exposed: Exposure = { status: 'exposed' };
const spared: Exposure = { status: 'not exposed' };
const unknown: Exposure = { status: 'unknown', problem: 'no answer' };
const of = (name: string, exposure: Exposure, isAccepted = false): Parameters<typeof recommend>[0][number] => ({
  risk: { name, url: `https://example.com/${name.length}`, message: `About ${name}.`, matchingRules: [] },
  exposure,
  isAccepted,
});

test.each([
  ['CV-11: no risk applies', [of('A', spared)], 'True', 'NotExposedToRisks'],
  ['CV-12: one applies', [of('A', exposed), of('B', spared)], 'False', 'A'],
  ['CV-90: two apply', [of('A', exposed), of('B', exposed)], 'False', 'MultipleReasons'],
  ['CV-91: one is unknown, one applies', [of('A', unknown), of('B', exposed)], 'False', 'MultipleReasons'],
  ['CV-92: its name is no reason', [of('bad name!', exposed)], 'False', 'ExposedToRisks'],
  ['CV-93: all that apply are accepted', [of('A', exposed, true), of('B', spared)], 'True', 'AllExposedRisksAccepted'],
  ['one is accepted, one is not', [of('A', exposed), of('B', exposed, true)], 'False', 'A'],
  ['the same in the other order', [of('B', exposed, true), of('A', exposed)], 'False', 'A'],
  ['one is unknown', [of('A', unknown)], 'Unknown', 'EvaluationFailed'],
  [
    'unknown ones yield to names that are no reasons',
    [of('A', unknown), of('b c', exposed)],
    'False',
    'ExposedToRisks',
  ],
])('%s', (_, ...[risks, status, reason]) => {
  expect(recommend(risks)).toMatchObject({ status, reason });
});

test('CV-15, CV-90: messages end with their links, a blank line between them', () => {
  const { message } = recommend([of('A', exposed), of('BB', exposed), of('C', spared), of('DDD', unknown)]);
  expect(message).toBe(
    'About A. https://example.com/1\n\nAbout BB. https://example.com/2\n\nCould not evaluate exposure to update risk DDD (no answer)\n  DDD description: About DDD.\n  DDD URL: https://example.com/3',
  );
});
