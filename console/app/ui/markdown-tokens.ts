import { Lexer, type Token } from 'marked';

const maxLength = 100_000;
/** The time that emphasis takes grows with the square of the length. */
const maxInlineLength = 2_000;

function plain(text: string): Token {
  return { type: 'text', raw: text, text };
}

/** Markdown of others as tokens, in a time that is bounded whatever it is: the end of a long text is left out, a paragraph of unusual length and a text that
 *  is nested too deeply are plain text. */
export function markdownTokens(markdown: string): readonly Token[] {
  const text = markdown.slice(0, maxLength);
  try {
    const lexer = new Lexer();
    lexer.blockTokens(text.replaceAll(/\r\n?/g, '\n'), lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (src.length > maxInlineLength) tokens.push(plain(src));
      else lexer.inlineTokens(src, tokens);
    }
    return lexer.tokens;
  } catch {
    // Nested deeper than the stack of the browser.
    return [plain(text)];
  }
}
