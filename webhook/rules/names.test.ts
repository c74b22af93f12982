import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ruleMeanings } from './names.ts';

test('the document describes every rule', () => {
  const text = readFileSync('docs/monitoring.md', 'utf8');
  for (const [name, meaning] of Object.entries(ruleMeanings)) expect(text).toContain(`| \`${name}\` | ${meaning} |`);
});
