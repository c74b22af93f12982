import { expect, test } from 'vitest';
import { YamlPositions } from './yaml-positions.ts';

function found(text: string, path: readonly (string | number)[], document = 0): string {
  const positions = new YamlPositions(text);
  const at = positions.find(document, path);
  return `${at?.line}:${at?.column} ${positions.source(document, path)}`;
}

const text = `# a comment
metadata:
  name: tide   # not the tide
  annotations: {a: yes, b: "no", lone}
spec:
  # about items
  items:
  - first
  -
    key: 1.10
    list: [[1, 2], {deep: 0x1F}]
  empty:
  text: |
    two
    lines
---
{"json": {"member": [1, 2.50]}}
`;

const cases = [
  { path: ['metadata'], shown: '2:1 undefined' },
  { path: ['metadata', 'name'], shown: '3:3 tide' },
  { path: ['metadata', 'annotations', 'a'], shown: '4:17 yes' },
  { path: ['metadata', 'annotations', 'b'], shown: '4:25 "no"' },
  { path: ['spec', 'items', 0], shown: '8:5 first' },
  { path: ['spec', 'items', 1, 'key'], shown: '10:5 1.10' },
  { path: ['spec', 'items', 1, 'list', 0, 1], shown: '11:16 2' },
  { path: ['spec', 'items', '1', 'list', '1', 'deep'], shown: '11:21 0x1F' },
  { path: ['spec', 'text'], shown: '13:3 |\n    two\n    lines' },
];

test.each(cases)('finds $path', ({ path, shown }) => {
  expect(found(text, path)).toBe(shown);
});

test('a missing member has the position of its parent', () => {
  expect(found(text, ['spec', 'items', 1, 'lost', 'more'])).toBe('10:5 undefined');
  expect(found(text, ['spec', 'empty', 'lost'])).toBe('12:3 undefined');
});

test('finds members of later documents, JSON among them', () => {
  expect(found(text, ['json', 'member', 1], 1)).toBe('17:25 2.50');
  expect(found(text, [], 7)).toBe('undefined:undefined undefined');
});

test('finds what precedes a fault', () => {
  expect(found('a: 1\nb: [\n', ['a'])).toMatch(/^undefined|^1:1/);
});

test('handles anchors and Windows line ends', () => {
  expect(found('base: &b\r\n  x: 1\r\nuse:\r\n  <<: *b\r\n  z: 2\r\n', ['use', 'z'])).toBe('5:3 2');
});

test('a position in a block scalar is found line by line, for every style of block', () => {
  const place = { line: 3, column: 2 };
  const inBlock = (written: string): string => {
    const at = new YamlPositions(`a: 1\nb:\n  json: ${written}`).findInBlock(0, ['b', 'json'], place);
    return at === undefined ? 'unknown' : `${at.line}:${at.column}`;
  };
  expect(inBlock('|-\n    one\n\n    three\n')).toBe('6:6');
  expect(inBlock('| # a comment\r\n    one\r\n      two\r\n    three\r\nc: 2')).toBe('6:6');
  expect(inBlock('|2+\n      one\n      two\n      three')).toBe('6:6');
  expect(inBlock('>-\n    one\n\n    three\n')).toBe('unknown');
  expect(inBlock('"one\\ntwo\\nthree"')).toBe('unknown');
  expect(inBlock('{one: 1}')).toBe('unknown');
  expect(new YamlPositions('a: |\n  one').findInBlock(0, ['b'], place)).toBeUndefined();
  expect(new YamlPositions('a: |\n  one').findInBlock(0, ['a'], { line: 9, column: 1 })).toBeUndefined();
});

test.each(cases.map(({ path, shown }) => [path.join('.'), path, shown] as const))(
  'in a large text, of which no more is read than is asked for, %s has the same place',
  (_, path, shown) => {
    const [first = '', second = ''] = text.split('---\n');
    const large = `${first}# ${'x'.repeat(2 ** 20)}\n---\n${second}`;
    const positions = new YamlPositions(large);
    const at = positions.find(0, path);
    expect(`${at?.line}:${at?.column} ${positions.source(0, path)}`).toBe(shown);
    expect(positions.find(0, ['spec', 'items', 1, 'list', 0, 1])).toEqual({ line: 11, column: 16 });
    expect(positions.find(0, [])).toEqual({ line: 2, column: 1 });
  },
);
