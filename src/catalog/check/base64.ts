const foreign = /[^A-Za-z0-9+/]/g;

/** The end of the text that is base64 without padding, line feeds left out: how many characters of the alphabet come before it, and where it is. */
function alphabetEnd(text: string): { readonly count: number; readonly end: number } {
  let breaks = 0;
  foreign.lastIndex = 0;
  for (let match = foreign.exec(text); match !== null; match = foreign.exec(text)) {
    if (match[0] !== '\n' && match[0] !== '\r') return { count: match.index - breaks, end: match.index };
    breaks += 1;
  }
  return { count: text.length - breaks, end: text.length };
}

const skipBreaks = (text: string, from: number): number => {
  let at = from;
  while (text[at] === '\n' || text[at] === '\r') at += 1;
  return at;
};

/** Where a text stops being padded base64, as Go counts; undefined when it is. */
function faultOffset(text: string): number | undefined {
  const { count, end } = alphabetEnd(text);
  const rest = count % 4;
  if (end === text.length) return rest === 0 ? undefined : end - rest;
  if (text[end] !== '=' || rest < 2) return end;
  let after = skipBreaks(text, end + 1);
  if (rest === 2) {
    if (after === text.length) return after;
    if (text[after] !== '=') return after - 1;
    after = skipBreaks(text, after + 1);
  }
  return after < text.length ? after : undefined;
}

/** Why a text is no base64: `illegal base64 data at input byte 1988`. Line feeds do not count. */
export function base64Fault(text: string): string | undefined {
  const offset = faultOffset(text);
  return offset === undefined ? undefined : `illegal base64 data at input byte ${offset}`;
}
