import vm from 'node:vm';

/** Longer texts are not matched but refused: no pattern of a CRD is meant for them. */
const maxSubjectLength = 64 * 1024;
const maxPatternLength = 4096;
/** From here on even a pattern that only looks back over what it has read (`a*b`) may take seconds. */
const longText = 1024;
const timeoutMs = 100;

/** A pattern of a CRD, compiled. */
export interface Pattern {
  /** True when the text matches. False as well when matching takes too long, or when the text is over 64 KiB. */
  test(text: string): boolean;
}

const posixClasses: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t ',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** What Go writes otherwise than JavaScript: named groups, text anchors, POSIX classes, leading flags, `\Q…\E`. */
function translate(source: string): { readonly source: string; readonly flags: string } {
  const flags = /^\(\?([ims]+)\)/.exec(source)?.[1] ?? '';
  const body = flags === '' ? source : source.slice(flags.length + 3);
  const translated = body
    .replaceAll(/\\Q(.*?)(\\E|$)/gs, (_all, literal: string) =>
      literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`),
    )
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\\A/g, '^')
    .replaceAll(/\\z/g, '$')
    .replaceAll(/\[:(\w+):\]/g, (all, name: string) =>
      Object.hasOwn(posixClasses, name) ? (posixClasses[name] ?? all) : all,
    )
    .replaceAll(/\\p([A-Z])(?!\{)/g, String.raw`\p{$1}`);
  return { source: translated, flags };
}

/** The strict `u` mode reads characters as Go does; patterns with needless escapes compile only without it. */
function compile(source: string): RegExp | undefined {
  const translated = translate(source);
  for (const mode of ['u', '']) {
    try {
      return new RegExp(translated.source, translated.flags + mode);
    } catch {
      continue;
    }
  }
  return undefined;
}

/** A repetition within a repetition: the only form whose matching time can grow without measure. */
function mayExplode(source: string): boolean {
  return (
    /[*+}]\??[^()]*(\([^()]*\)[^()]*)*\)[*+{]/.test(source) ||
    /\)[*+?]?[^()]*\)[*+{]/.test(source) ||
    /\|.*\)[*+{]/.test(source)
  );
}

const sandbox: { pattern?: RegExp; text?: string } = {};
let script: vm.Script | undefined;

/** Runs in a context of its own, only because V8 can be told there to give up after a time. */
function testWithTimeout(pattern: RegExp, text: string): boolean {
  script ??= new vm.Script('pattern.test(text)');
  if (!vm.isContext(sandbox)) vm.createContext(sandbox);
  sandbox.pattern = pattern;
  sandbox.text = text;
  try {
    return script.runInContext(sandbox, { timeout: timeoutMs }) === true;
  } catch {
    return false;
  }
}

const compiled = new Map<string, Pattern | undefined>();

/** Compiles a pattern in Go's RE2 syntax; undefined when it is none (or one that JavaScript has no form for). */
export function compilePattern(source: string): Pattern | undefined {
  if (compiled.has(source)) return compiled.get(source);
  const expression = source.length > maxPatternLength ? undefined : compile(source);
  const pattern = expression === undefined ? undefined : patternOf(expression, mayExplode(source));
  if (compiled.size > 10_000) compiled.clear();
  compiled.set(source, pattern);
  return pattern;
}

function patternOf(expression: RegExp, isRisky: boolean): Pattern {
  return {
    test: (text) => {
      if (text.length > maxSubjectLength) return false;
      return text.length > (isRisky ? 16 : longText) ? testWithTimeout(expression, text) : expression.test(text);
    },
  };
}
