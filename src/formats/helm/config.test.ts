import { expect, test } from 'vitest';
import { chartConfigProblems } from './config.ts';

const many = Array.from({ length: 25_001 }, () => ({}));

test.each([
  { as: 'an object', values: { many } },
  { as: 'YAML', values: `many: [${'{a: b},'.repeat(25_001)}]` },
])('very many values are refused where they are $as: every review reads them', ({ values }) => {
  expect(chartConfigProblems({ values })).toEqual([
    expect.stringMatching(/spec\.config\.values: more than \d+ values/) as string,
  ]);
});

test.each([
  { as: 'an object', values: { many: many.slice(0, 12_000) } },
  { as: 'YAML', values: `many: ["${'text, '.repeat(100_000)}"]` },
])('as many as the largest charts have are not, nor long ones, where they are $as', ({ values }) => {
  expect(chartConfigProblems({ values })).toEqual([]);
});
