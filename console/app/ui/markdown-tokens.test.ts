import type { Token, Tokens } from 'marked';
import { expect, test } from 'vitest';
import { markdownTokens } from './markdown-tokens.ts';

function inlineOf(token: Token | undefined): readonly string[] {
  return (token as Tokens.Paragraph).tokens.map(({ type }) => type);
}

test('paragraphs, lists and links are read', () => {
  const text = '# Tides\r\n\r\nRead *them* [here](https://example.com)\n- one\n- two';
  const [heading, paragraph, list] = markdownTokens(text).filter(({ type }) => type !== 'space');
  expect([heading?.type, inlineOf(paragraph), list?.type]).toEqual(['heading', ['text', 'em', 'text', 'link'], 'list']);
});

test('a paragraph of unusual length is plain text; the next one is not', () => {
  const [long, , short] = markdownTokens(`${'_a_'.repeat(20_000)}\n\n*short*`);
  expect([inlineOf(long), inlineOf(short)]).toEqual([['text'], ['em']]);
});

test.each([
  ['quotes', '>'.repeat(200_000)],
  ['brackets', '['.repeat(200_000)],
])('a text that nests %s without end is plain text', (_, text) => {
  expect(JSON.stringify(markdownTokens(text)).length).toBeLessThan(1_000_000);
});
