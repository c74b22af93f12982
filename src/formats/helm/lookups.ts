import { isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../../base/index.ts';
import { type ChartFile, renderFailed } from '../format.ts';

/** Charts look their own Secrets up to reuse passwords. The function `lookup` would need a connection to the cluster, and sees what a chart should not see;
 *  its calls are replaced by those of this template, which has the objects of the release alone. */
const templateName = 'longshore.lookup';
const templatePath = 'templates/_longshore-lookup.tpl';
const operands = 4;
/** Of all templates of a chart, and of the text that each may be in: to find where a call ends, all of that is read. */
const maxCalls = 1000;
const maxActionCharacters = 16 * 1024;
const call = /(?<![\w."$])lookup(?=\s)/g;
const comment = /\{\{-?\s*\/\*/y;
const space = /\s*/y;
/** A variable, a field, a number, a bare word; or the fields of what is in parentheses. */
const word = /[$.\w][\w.$-]*/y;
const fields = /(?:\.\w+)*/y;
const quoted = /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y;

function matchAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Where the parenthesis that opens at `at` has closed, with the fields behind it. */
function endOfParentheses(text: string, at: number): number | undefined {
  let depth = 0;
  for (let index = at; index < text.length; ) {
    const afterText = matchAt(quoted, text, index);
    if (afterText !== undefined) {
      index = afterText;
      continue;
    }
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    index += 1;
    if (depth === 0) return matchAt(fields, text, index);
  }
  return undefined;
}

function endOfOperand(text: string, at: number): number | undefined {
  if (text[at] === '(') return endOfParentheses(text, at);
  return matchAt(quoted, text, at) ?? matchAt(word, text, at);
}

/** Where the operands of a call end; undefined where it has others, such as one that is piped. */
function endOfCall(text: string, at: number): number | undefined {
  let end: number | undefined = at;
  for (let count = 0; count < operands && end !== undefined; count += 1) {
    end = endOfOperand(text, matchAt(space, text, end) ?? end);
  }
  return end;
}

/** One action, `{{ … }}`, with its calls replaced; those within operands as well. */
function withCalls(action: string, calls: readonly number[]): string {
  let result = action;
  for (const index of calls.toReversed()) {
    const start = index + 'lookup'.length;
    const end = endOfCall(result, start);
    if (end === undefined) continue;
    const given = result.slice(start, end);
    result = `${result.slice(0, index)}fromJson (include "${templateName}" (list${given}))${result.slice(end)}`;
  }
  return result;
}

/** Where actions begin and end that are no comments. */
function* actionsOf(text: string): Generator<readonly [number, number]> {
  for (let at = text.indexOf('{{'); at >= 0; ) {
    let next = at + 1;
    if (matchAt(comment, text, at) === undefined) {
      const end = text.indexOf('}}', at + 2);
      if (end < 0) return;
      next = end + 2;
      yield [at, next];
    }
    at = text.indexOf('{{', next);
  }
}

/** Replaces calls in the templates of one chart. */
class CallReplacer {
  #calls = 0;

  /** @throws TerminalError for more calls, or longer actions with calls, than any chart has */
  replace(path: string, text: string): string {
    if (!text.includes('lookup')) return text;
    const parts: string[] = [];
    let done = 0;
    for (const [start, end] of actionsOf(text)) {
      parts.push(text.slice(done, start), this.#replaceIn(text.slice(start, end), path));
      done = end;
    }
    return `${parts.join('')}${text.slice(done)}`;
  }

  #replaceIn(action: string, path: string): string {
    const calls = Array.from(action.matchAll(call), ({ index }) => index);
    if (calls.length === 0) return action;
    this.#calls += calls.length;
    if (this.#calls <= maxCalls && action.length <= maxActionCharacters) return withCalls(action, calls);
    const limits = `at most ${maxCalls} calls of lookup in a chart, in actions of at most ${maxActionCharacters} characters`;
    throw new TerminalError(renderFailed, `${path}: expected ${limits}`);
  }
}

/** The objects as one that `lookup` would have: data of Secrets is base64, and there is a namespace. */
function asFound(object: JsonObject, namespace: string): JsonObject {
  const { stringData, data, metadata, ...rest } = object;
  const encoded: Record<string, JsonValue | undefined> = isJsonObject(data) ? { ...data } : {};
  for (const [key, value] of Object.entries(isJsonObject(stringData) ? stringData : {})) {
    encoded[key] = Buffer.from(String(value as string)).toString('base64');
  }
  return { ...rest, metadata: { namespace, ...(isJsonObject(metadata) ? metadata : {}) }, data: encoded };
}

function definition(objects: readonly JsonObject[], namespace: string): string {
  const found = objects.map((object) => asFound(object, namespace));
  const packed = Buffer.from(JSON.stringify(found)).toString('base64');
  const given = (index: number): string => `(toString (index $ ${index}))`;
  const matches = (field: string, index: number): string =>
    `(or (eq ${given(index)} "") (eq ${field} ${given(index)}))`;
  return `{{- define "${templateName}" -}}
{{- $found := list -}}
{{- range ("${packed}" | b64dec | fromJsonArray) -}}
{{- if and (eq .apiVersion ${given(0)}) (eq .kind ${given(1)}) ${matches('.metadata.namespace', 2)} ${matches('.metadata.name', 3)} -}}
{{- $found = append $found . -}}
{{- end -}}
{{- end -}}
{{- if not $found -}}{}
{{- else if eq ${given(3)} "" -}}{{ dict "items" $found | toJson }}
{{- else -}}{{ first $found | toJson }}
{{- end -}}
{{- end -}}
`;
}

const found: ReadonlySet<unknown> = new Set(['Secret', 'ConfigMap']);

function isTemplate(path: string): boolean {
  return /^(charts\/[^/]+\/)*templates\//.test(path);
}

/** The chart with calls of `lookup` that find the Secrets and ConfigMaps of its release. The same files where it calls none, or there are no objects. */
export function withLookups(
  files: readonly ChartFile[],
  { objects, namespace }: { readonly objects: readonly JsonObject[]; readonly namespace: string },
): readonly ChartFile[] {
  const own = objects.filter((object) => object['apiVersion'] === 'v1' && found.has(object['kind']));
  if (own.length === 0) return files;
  let isCalled = false;
  const replacer = new CallReplacer();
  const changed = files.map((file): ChartFile => {
    if (!isTemplate(file.path)) return file;
    const text = new TextDecoder().decode(file.content);
    const replaced = replacer.replace(file.path, text);
    if (replaced === text) return file;
    isCalled = true;
    return { path: file.path, content: Buffer.from(replaced) };
  });
  if (!isCalled) return files;
  return [...changed, { path: templatePath, content: Buffer.from(definition(own, namespace)) }];
}
