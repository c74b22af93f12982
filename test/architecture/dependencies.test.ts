import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('docs/dependencies.md has a row for each dependency of the program, and no other', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const rows = readFileSync('docs/dependencies.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(new Set(named)).toEqual(new Set(Object.keys(dependencies)));
  for (const [name, version] of Object.entries(dependencies)) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
});

test('every row of the boundaries in SECURITY.md names tests', () => {
  const rows = readFileSync('SECURITY.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| \d+ \|/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(row, row).toMatch(/\]\([^)]+\.test\.ts\)[^|]*\|$/);
});

test('every row of what tenants may write in SECURITY.md names a test that exists', () => {
  const rows = readFileSync('SECURITY.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| T\d+ \|/.test(line));
  expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual(rows.map((_, index) => `T${index + 1}`));
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const [, path = '', title = ''] = /\]\(([^)]+\.test\.ts)\) "([^"]+)" \|$/.exec(row) ?? [];
    expect(readFileSync(path, 'utf8'), row).toContain(title);
  }
});
