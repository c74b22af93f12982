import type { Token, Tokens } from 'marked';
import type { ComponentChildren, JSX } from 'preact';
import { markdownTokens } from './markdown-tokens.ts';

const maxDepth = 12;

/** Links lead to the web alone. */
export function safeUrl(href: string): string | undefined {
  const url = URL.canParse(href) ? new URL(href) : undefined;
  return url !== undefined && ['https:', 'http:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}

/** Texts of Markdown come with entities, which are no markup here. */
function plain(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
  };
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

type Draw = (token: Token, depth: number) => ComponentChildren;

function inside(token: Token, depth: number): ComponentChildren {
  const { tokens, text } = token as Tokens.Text;
  return tokens === undefined ? plain(text ?? '') : all(tokens, depth + 1);
}

function drawLink(token: Token, depth: number): ComponentChildren {
  const href = safeUrl((token as Tokens.Link).href);
  if (href === undefined) return inside(token, depth);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {inside(token, depth)}
    </a>
  );
}

function drawList(token: Token, depth: number): ComponentChildren {
  const { items, ordered } = token as Tokens.List;
  const rows = items.map((item, index) => <li key={index}>{all(item.tokens, depth + 1)}</li>);
  return ordered ? <ol>{rows}</ol> : <ul>{rows}</ul>;
}

function drawTable(token: Token, depth: number): ComponentChildren {
  const { header, rows } = token as Tokens.Table;
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, index) => (
            <th key={index}>{all(cell.tokens, depth + 1)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column}>{all(cell.tokens, depth + 1)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is drawn. Anything else, HTML and images among it, is left out or shown as text. */
const draws: Readonly<Record<string, Draw>> = {
  heading: (token, depth) => <h3>{inside(token, depth)}</h3>,
  paragraph: (token, depth) => <p>{inside(token, depth)}</p>,
  text: inside,
  escape: inside,
  strong: (token, depth) => <strong>{inside(token, depth)}</strong>,
  em: (token, depth) => <em>{inside(token, depth)}</em>,
  del: (token, depth) => <del>{inside(token, depth)}</del>,
  codespan: (token) => <code>{plain((token as Tokens.Codespan).text)}</code>,
  code: (token) => <pre tabIndex={0}>{(token as Tokens.Code).text}</pre>,
  blockquote: (token, depth) => <blockquote>{inside(token, depth)}</blockquote>,
  link: drawLink,
  list: drawList,
  table: drawTable,
  br: () => <br />,
  hr: () => <hr />,
  html: (token) => <span>{(token as Tokens.HTML).raw}</span>,
};

function all(tokens: readonly Token[], depth: number): ComponentChildren {
  if (depth > maxDepth) return null;
  return tokens.map((token, index) => {
    const draw = Object.hasOwn(draws, token.type) ? draws[token.type] : undefined;
    return draw === undefined ? null : (
      <span key={index} style={{ display: 'contents' }}>
        {draw(token, depth)}
      </span>
    );
  });
}

/** Markdown of others as elements that we make: no HTML of theirs becomes any. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  return <div class="prose">{all(markdownTokens(text), 0)}</div>;
}
