/** Something wrong with an expression. */
export interface Issue {
  /** Where in the text, in UTF-16 units; -1 for the expression as a whole. */
  readonly offset: number;
  readonly message: string;
}

const maxIssues = 100;
const maxSnippetBytes = 16_384;

interface Position {
  readonly line: number;
  readonly column: number;
}

function positionOf(text: string, offset: number): Position {
  if (offset < 0) return { line: -1, column: -1 };
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: Array.from(before.at(-1) ?? '').length };
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}

/** The line with the fault and an arrow below it; wide characters get wide dots. */
function snippet(text: string, { line, column }: Position): string {
  const source = text.split('\n')[line - 1];
  if (source === undefined || Buffer.byteLength(source) > maxSnippetBytes) return '';
  const shown = source.replaceAll('\t', ' ');
  const characters = Array.from(shown);
  const dots = characters.slice(0, column).map((character) => (isWide(character) ? '\uFF0E' : '.'));
  const arrow = isWide(characters[column] ?? ' ') ? '\uFF3E' : '^';
  return `\n | ${shown}\n | ${dots.join('')}${arrow}`;
}

function describe(text: string, issue: Issue, position: Position): string {
  const head = `ERROR: <input>:${position.line}:${position.column + 1}: ${issue.message}`;
  return issue.offset < 0 ? head : head + snippet(text, position);
}

/** All issues as clients of Kubernetes read them: by place, each with its line of `text` and an arrow. At most 100 are shown. */
export function describeIssues(text: string, issues: readonly Issue[]): string {
  const placed = issues.slice(0, maxIssues).map((issue) => ({ issue, position: positionOf(text, issue.offset) }));
  placed.sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column);
  const shown = placed.map(({ issue, position }) => describe(text, issue, position));
  const left = issues.length - maxIssues;
  return [...shown, ...(left > 0 ? [`${left} more errors were truncated`] : [])].join('\n');
}
