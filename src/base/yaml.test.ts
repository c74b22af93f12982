import { expect, test } from 'vitest';
import { maxNestingDepth, parseJson } from './json.ts';
import { parseYaml, parseYamlDocuments } from './yaml.ts';

function aliasBomb(): string {
  const letters = 'abcdefghi';
  const lines = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < letters.length; i++)
    lines.push(
      `${letters[i]}: &${letters[i]} [${Array(9)
        .fill(`*${letters[i - 1]}`)
        .join(',')}]`,
    );
  return lines.join('\n');
}

test.each([
  { name: 'an alias bomb', text: aliasBomb(), reason: 'AliasBomb' },
  { name: '10,000-deep nesting', text: '['.repeat(10_000) + ']'.repeat(10_000), reason: 'InvalidYaml' },
  { name: 'a __proto__ key', text: '"__proto__": {isAdmin: true}', reason: 'ForbiddenKey' },
  { name: 'broken syntax', text: 'a: [1', reason: 'InvalidYaml' },
  { name: 'two documents where one is expected', text: 'a: 1\n---\nb: 2', reason: 'InvalidYaml' },
])('refuses $name', ({ text, reason }) => {
  expect(() => parseYaml('file.yaml', text)).toThrow(expect.objectContaining({ reason }));
});

test('takes nesting as deep as JSON may have', () => {
  const text = `${'['.repeat(maxNestingDepth - 1)}${']'.repeat(maxNestingDepth - 1)}`;
  expect(parseYaml('f', text)).toEqual(parseJson('f', text));
});

test('reads scalars as Kubernetes does', () => {
  expect(parseYaml('f', 'a: yes\nb: off\nc: 2020-01-01\nd: 0x10\ne: "yes"\nf: 12:30')).toEqual({
    a: true,
    b: false,
    c: '2020-01-01',
    d: 16,
    e: 'yes',
    f: '12:30',
  });
});

test('gives null for empty documents and keeps merge keys working', () => {
  expect(parseYamlDocuments('f', '---\n---\na: &x {k: 1}\nb: {<<: *x, l: 2}\n')).toEqual([
    null,
    { a: { k: 1 }, b: { k: 1, l: 2 } },
  ]);
});
