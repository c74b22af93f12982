import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checks } from './table.ts';

test('docs/bundle-validate.md lists every check', () => {
  const rows = checks.map(
    ({ id, suite, severity, title, whatToDo }) => `| ${id} | ${suite} | ${severity} | ${title} | ${whatToDo} |`,
  );
  const text = readFileSync(new URL('../../docs/bundle-validate.md', import.meta.url), 'utf8');
  const listed = text.split('\n').filter((line) => /^\| [A-Z]+\d+ \|/.test(line));
  expect(listed).toEqual(rows.map((row) => row.replaceAll('||', '\\|\\|')));
});
