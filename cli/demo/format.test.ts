import { expect, test } from 'vitest';
import { formatTable, readJsonPath } from './format.ts';

const table = {
  columnDefinitions: [
    { name: 'Name', priority: 0 },
    { name: 'Parts', priority: 0 },
    { name: 'Image', priority: 1 },
  ],
  rows: [{ cells: ['first', 3, 'example.com/a'] }, { cells: ['second-one', null, 'example.com/b'] }],
};

test('prints aligned columns without the wide ones', () => {
  expect(formatTable(table)).toBe('NAME         PARTS\nfirst        3\nsecond-one\n');
});

test('prints wide columns when asked, and the kind before each name', () => {
  const [head, first] = formatTable(table, { isWide: true, label: 'thing' }).split('\n');
  expect(head).toBe('NAME               PARTS   IMAGE');
  expect(first).toBe('thing/first        3       example.com/a');
});

test('prints nothing for a table without rows', () => {
  expect(formatTable({ ...table, rows: [] })).toBe('');
});

test.each([
  { path: '{.status.ref}{"\\n"}', printed: '{"tag":"v1"}\n' },
  { path: '{.status.conditions[?(@.type=="Ready")].message}{"\\n"}', printed: 'all is well\n' },
  { path: '{.status.conditions[1].message}{"\\n"}', printed: 'all is well\n' },
  { path: '{.status.nothing.there}{"\\n"}', printed: '\n' },
])('reads $path', ({ path, printed }) => {
  const conditions = [{ type: 'Other' }, { type: 'Ready', message: 'all is well' }];
  expect(readJsonPath(path, { status: { ref: { tag: 'v1' }, conditions } })).toBe(printed);
});
