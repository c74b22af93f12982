const token =
  /\s*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.]))/uy;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

interface State {
  expected: Expected;
  readonly open: string[];
}

function takeClosing(state: State, sign: string): boolean {
  const opening = sign === '}' ? '{' : '[';
  const mayClose = state.expected === ', or end' || state.expected === (sign === '}' ? 'key or }' : 'value or ]');
  if (!mayClose || state.open.pop() !== opening) return false;
  state.expected = ', or end';
  return true;
}

function takeOpening(state: State, sign: string): boolean {
  if (!state.expected.startsWith('value')) return false;
  state.open.push(sign);
  state.expected = sign === '{' ? 'key or }' : 'value or ]';
  return true;
}

function takeComma(state: State): boolean {
  if (state.expected !== ', or end' || state.open.length === 0) return false;
  state.expected = state.open.at(-1) === '{' ? 'key' : 'value';
  return true;
}

function takeSign(state: State, sign: string): boolean {
  if ('}]'.includes(sign)) return takeClosing(state, sign);
  if ('{['.includes(sign)) return takeOpening(state, sign);
  if (sign === ',') return takeComma(state);
  if (state.expected !== ':') return false;
  state.expected = 'value';
  return true;
}

function takeScalar(state: State, isText: boolean): boolean {
  if (isText && state.expected.startsWith('key')) {
    state.expected = ':';
    return true;
  }
  if (!state.expected.startsWith('value')) return false;
  state.expected = ', or end';
  return true;
}

/** How many characters of invalid JSON can be read up to and including the first wrong one. */
export function jsonFaultOffset(text: string): number {
  const state: State = { expected: 'value', open: [] };
  let offset = 0;
  for (;;) {
    token.lastIndex = offset;
    const match = token.exec(text);
    const isTaken =
      match !== null &&
      (match[1] === undefined ? takeScalar(state, match[2] !== undefined) : takeSign(state, match[1]));
    if (!isTaken) break;
    offset = token.lastIndex;
  }
  const rest = text.slice(offset).search(/\S/);
  return rest < 0 ? text.length : offset + rest + 1;
}
