import { expect, test } from 'vitest';
import { isIgnored, parseIgnoreRules } from './ignore.ts';

const tree = ['p/README.md', 'p/keep/c.json', 'p/sub/a.yaml', 'p/sub/deep/b.txt', 'q/foo'];

/** What is left of the tree when `.indexignore` at its root, or in `p`, has these lines. */
function left(lines: string, domain: readonly string[] = []): string[] {
  const rules = parseIgnoreRules(lines, domain);
  return tree.filter((path) => !isIgnored(rules, path.split('/')));
}

const without = (...names: string[]): string[] => tree.filter((path) => !names.includes(path));
const withoutSub = without('p/sub/a.yaml', 'p/sub/deep/b.txt');

test.each([
  { name: 'nothing', lines: '', expected: tree },
  { name: 'foo/, which is a file', lines: 'foo/', expected: tree },
  { name: '/README.md, which is not at the root', lines: '/README.md', expected: tree },
  { name: 'foo outside of its domain', lines: 'foo', domain: ['p'], expected: tree },
  { name: 'p/sub', lines: 'p/sub', expected: withoutSub },
  { name: 'sub', lines: 'sub', expected: withoutSub },
  { name: 'sub/', lines: 'sub/', expected: withoutSub },
  { name: 'su**b', lines: 'su**b', expected: withoutSub },
  { name: '/sub in its domain', lines: '/sub', domain: ['p'], expected: withoutSub },
  { name: 'p/sub/ and !b.txt', lines: 'p/sub/\n!b.txt', expected: without('p/sub/a.yaml') },
  { name: '*.md', lines: '*.md', expected: without('p/README.md') },
  { name: 'p/**/b.txt', lines: 'p/**/b.txt', expected: without('p/sub/deep/b.txt') },
  { name: '**/deep', lines: '**/deep', expected: without('p/sub/deep/b.txt') },
  { name: '*.txt', lines: '*.txt', expected: without('p/sub/deep/b.txt') },
  { name: 'p/*', lines: 'p/*', expected: ['q/foo'] },
  { name: '* and !*.json', lines: '*\n!*.json', expected: ['p/keep/c.json'] },
  { name: 'blank lines and comments', lines: '\n  \n# foo\n#*', expected: tree },
  { name: 'a line with blanks around it', lines: '  *.md \r\n', expected: without('p/README.md') },
  { name: 'the last one that matches decides', lines: '!*.md\n*.md', expected: without('p/README.md') },
  { name: 'classes of characters', lines: '[a-c].yaml\n[^a-z]*.md', expected: without('p/README.md', 'p/sub/a.yaml') },
  { name: 'one character', lines: '?.yaml', expected: without('p/sub/a.yaml') },
  { name: 'an escaped character', lines: '\\f\\oo', expected: without('q/foo') },
  { name: 'what is no pattern', lines: '[a\n[]x]\nfoo\\\n[b-]\n/\n!\na//b', expected: tree },
])('CR-1.2 .indexignore: $name', ({ lines, domain, expected }) => {
  expect(left(lines, domain)).toEqual(expected);
});

test('a hostile pattern costs no more than its length times that of the name', () => {
  const rules = parseIgnoreRules(`${'*a'.repeat(500)}b\n${'**/a/'.repeat(500)}b`, []);
  expect(
    isIgnored(
      rules,
      Array.from({ length: 500 }, () => 'a'.repeat(250)),
    ),
  ).toBe(false);
});
