import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rulesDocument } from './rules-document.ts';

test('docs/monitoring.md has the table of rules', () => {
  expect(readFileSync('docs/monitoring.md', 'utf8')).toContain(rulesDocument());
});
