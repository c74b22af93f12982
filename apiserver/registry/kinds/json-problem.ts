/** Why a text is no JSON object, in the words of Go's decoder; undefined when it is one.
 *  Exact for texts that end too early or begin wrongly; elsewhere it names the character that is in the way. */
export function jsonObjectProblem(text: string): string | undefined {
  const bare = text.trim();
  if (bare === '') return 'unexpected end of JSON input';
  const first = bare.charAt(0);
  if (!/[[{"\-\dtfn]/.test(first)) return `invalid character ${quoted(first)} looking for beginning of value`;
  let value: unknown;
  try {
    value = JSON.parse(bare);
  } catch (thrown) {
    return syntaxProblem(bare, (thrown as Error).message);
  }
  const kind = kindOf(value);
  return kind === undefined
    ? undefined
    : `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

function quoted(character: string): string {
  return character === "'" ? `'\\''` : `'${character}'`;
}

function kindOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'object' ? undefined : typeof value;
}

/** What precedes the unexpected character determines what was expected. */
const expectedAfter = new Map([
  ['{', 'looking for beginning of object key string'],
  ['[', 'looking for beginning of value'],
  [':', 'looking for beginning of value'],
]);
/** Otherwise the parser's message determines it. */
const expectedBy = [
  { part: 'property name', text: 'looking for beginning of object key string' },
  { part: "':'", text: 'after object key' },
  { part: "']'", text: 'after array element' },
  { part: "'}'", text: 'after object key:value pair' },
];

function syntaxProblem(text: string, message: string): string {
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  if (position >= text.length || /end of JSON input|Unterminated/.test(message)) return 'unexpected end of JSON input';
  const before = text.slice(0, position).trimEnd().at(-1) ?? '';
  const expectation = expectedBy.find(({ part }) => message.includes(part))?.text ?? 'after top-level value';
  return `invalid character ${quoted(text.charAt(position))} ${expectedAfter.get(before) ?? expectation}`;
}
