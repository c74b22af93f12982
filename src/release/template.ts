import { TerminalError } from '../base/index.ts';

/** What templates of the engine's own manifests refer to. */
export interface TemplateValues {
  /** Pull spec of the release. */
  readonly releaseImage: string;
  readonly clusterProfile: string;
  /** Pull specs, by the name in `image-references`. */
  readonly images: ReadonlyMap<string, string>;
}

/** As many as a file may have bytes. */
const maxRenderedCharacters = 16 * 1024 * 1024;
/** What Go prints for a key that a map lacks. */
const noValue = '<no value>';
const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};

function refuse(action: string): never {
  const text = `template action {{${action.slice(0, 100)}}}: expected .ReleaseImage, .ClusterProfile, .Images.NAME, index .Images "NAME" or a text in quotes`;
  throw new TerminalError('InvalidTemplate', text);
}

/** The text of a literal of Go in double quotes. */
function unquote(literal: string, action: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|[^])/g, (_, escape: string) => {
      const simple = simpleEscapes[escape];
      if (simple !== undefined) return simple;
      const code = /^[xuU]/.test(escape) ? Number.parseInt(escape.slice(1), 16) : Number.parseInt(escape, 8);
      return /^(?:[xuU].+|[0-7]{3})$/.test(escape) && code <= 0x10ffff ? String.fromCodePoint(code) : refuse(action);
    });
}

const literalOnly = /^(?:"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`)$/;

function literalText(literal: string, action: string): string {
  return literal.startsWith('`') ? literal.slice(1, -1) : unquote(literal, action);
}

function resolveAction(action: string, { releaseImage, clusterProfile, images }: TemplateValues): string {
  const text = action.trim();
  if (/^\/\*[^]*\*\/$/.test(text)) return '';
  if (literalOnly.test(text)) return literalText(text, action);
  if (text === '.ReleaseImage') return releaseImage;
  if (text === '.ClusterProfile') return clusterProfile;
  const [, field, index] =
    /^(?:\.Images\.([\p{L}_][\p{L}\p{Nd}_]*)|index \.Images ("[^"]*"|`[^`]*`))$/u.exec(text) ?? [];
  if (field !== undefined) return images.get(field) ?? noValue;
  // A map of texts gives the empty text for a key that it lacks.
  return index === undefined ? refuse(action) : (images.get(literalText(index, action)) ?? '');
}

/** From `{{` to the `}}` behind it; literals and comments may contain both. No character can be read in two ways: otherwise a text that closes nothing would
 *  be tried in all combinations. */
const action =
  /\{\{(- )?((?:"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`|\/\*(?:[^*]|\*(?!\/))*\*\/|(?!\}\}| -\}\}|\/\*)[^"`])*)( -)?\}\}/y;

/** The text with its actions replaced, by the part of Go's templates that the manifests of an engine use.
 *  @throws TerminalError InvalidTemplate for any other action
 *  @see docs/spec/cluster-version.md#layout */
export function renderTemplate(text: string, values: TemplateValues): string {
  const pieces: string[] = [];
  let characters = 0;
  let trimsNext = false;
  let at = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    action.lastIndex = open;
    const found = action.exec(text);
    if (found === null) refuse(text.slice(open + 2, open + 102));
    const [whole, trimsBefore, inner = '', trimsAfter] = found;
    const between = text.slice(at, open);
    const started = trimsNext ? between.trimStart() : between;
    const piece = [trimsBefore === undefined ? started : started.trimEnd(), resolveAction(inner, values)].join('');
    characters += piece.length;
    if (characters > maxRenderedCharacters) {
      throw new TerminalError('InvalidTemplate', `renders to more than ${maxRenderedCharacters} characters`);
    }
    pieces.push(piece);
    trimsNext = trimsAfter !== undefined;
    at = open + whole.length;
  }
  const rest = text.slice(at);
  return [...pieces, trimsNext ? rest.trimStart() : rest].join('');
}
