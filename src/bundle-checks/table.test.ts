import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

test('every check is shown by a test that names its id', () => {
  const files = globSync('**/*.test.ts', { cwd: import.meta.dirname }).filter((file) => file !== 'table.test.ts');
  const text = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
  expect(checks.map(({ id }) => id).filter((id) => !new RegExp(`\\b${id}\\b`).test(text))).toEqual([]);
});
