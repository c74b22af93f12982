import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { wrapMarkdown } from './wrap-markdown.ts';

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');

test.each([
  { name: 'a paragraph', text: words(25), expected: `${words(20)}\n${words(5)}` },
  { name: 'lines that are too short', text: `${words(10)}\n${words(10)}`, expected: words(20) },
  { name: 'a list item', text: `- ${words(25)}`, expected: `- ${words(19)}\n  ${words(6)}` },
  { name: 'a quotation', text: `> ${words(25)}`, expected: `> ${words(19)}\n> ${words(6)}` },
  { name: 'inline code', text: `${words(19)} \`one two\` x`, expected: `${words(19)}\n\`one two\` x` },
  { name: 'a word that would begin a list', text: `${words(20)} - x`, expected: `${words(19)}\nword - x` },
])('$name is wrapped at 100 columns', ({ text, expected }) => {
  expect(wrapMarkdown(text)).toBe(expected);
});

test.each([
  { name: 'a table', text: `| ${words(30)} |` },
  { name: 'a heading', text: `# ${words(30)}` },
  { name: 'a fenced block', text: `\`\`\`sh\n${words(30)}\n\n  x\n\`\`\`` },
  { name: 'a hard break', text: `one\\\ntwo` },
])('$name stays as it is', ({ text }) => {
  expect(wrapMarkdown(text)).toBe(text);
});

test('every document of the repository keeps its words, and wrapping again changes nothing', () => {
  const files = execFileSync('git', ['ls-files', '*.md']).toString().trim().split('\n');
  const essence = (text: string): string => text.replaceAll(/^\s*>\s?/gm, '').replaceAll(/\s+/g, '');
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const once = wrapMarkdown(text);
    expect(essence(once), file).toBe(essence(text));
    expect(wrapMarkdown(once), file).toBe(once);
  }
});
