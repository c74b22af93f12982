import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checks } from './table.ts';

test('docs/bundle-validate.md lists every check, as `npm run generate` writes it', () => {
  const rows = checks.map(
    ({ id, title, whatToDo }) => `| ${[id, title, whatToDo].map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`,
  );
  const text = readFileSync(new URL('../../docs/bundle-validate.md', import.meta.url), 'utf8');
  const listed = text.split('\n').filter((line) => /^\| [A-Z]+\d+ \|/.test(line));
  expect(listed.toSorted()).toEqual(rows.toSorted());
});

test('ids are never used twice', () => {
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
});
