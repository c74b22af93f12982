import { CORE_SCHEMA, dump, type LoadOptions, loadAll, type Schema, Type, YAMLException } from 'js-yaml';
import { errorMessage, TerminalError } from './errors.ts';
import { assertHarmless, exactInteger, isJsonObject, type JsonValue, maxExactDigits, maxNestingDepth } from './json.ts';

const yaml11Booleans = new Map<string, boolean>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'].map((word): [string, boolean] => [
    word,
    true,
  ]),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'].map((word): [string, boolean] => [
    word,
    false,
  ]),
]);

const goInteger = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const goFloat = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/** Most texts are none: one look at the first character, as each of them comes here. */
function beginsAsNumber(text: unknown): text is string {
  if (typeof text !== 'string') return false;
  const code = text.charCodeAt(0);
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e;
}

/** Underscores in a number do not count. */
function numberText(text: string): string {
  return text.replaceAll('_', '');
}

function isInteger(text: unknown): boolean {
  return beginsAsNumber(text) && goInteger.test(numberText(text));
}

function isNumber(text: unknown): boolean {
  if (!beginsAsNumber(text)) return false;
  const plain = numberText(text);
  if (goInteger.test(plain) || notFinite.test(plain)) return true;
  // What no number can hold stays text.
  return goFloat.test(plain) && Number.isFinite(Number.parseFloat(plain));
}

/** A leading zero makes an integer octal, as in `defaultMode: 0644`.
 *  @throws Error for infinity and not-a-number, which JSON cannot express */
function toNumber(text: string): number | bigint {
  const plain = numberText(text);
  if (notFinite.test(plain)) throw new Error(`unsupported value: ${text}`);
  if (!goInteger.test(plain)) return Number.parseFloat(plain);
  const isNegative = plain.startsWith('-');
  const digits = plain.replace(/^[-+]/, '').replace(/^0(?=[0-7])/, '0o');
  const value = Number(digits);
  // Adding 0 makes a negative zero a plain one.
  const isExact = Number.isSafeInteger(value);
  if (isExact || digits.length > maxExactDigits) return (isNegative ? -value : value) + 0;
  return exactInteger(`${isNegative ? '-' : ''}${BigInt(digits)}`);
}

function numberType(name: 'int' | 'float', resolve: (text: unknown) => boolean): Type {
  return new Type(`tag:yaml.org,2002:${name}`, {
    kind: 'scalar',
    resolve,
    construct: toNumber,
    predicate: (value: unknown) =>
      name === 'int' ? typeof value === 'bigint' || Number.isInteger(value) : typeof value === 'number',
    represent: (value: object) => JSON.stringify(value),
  });
}

/** Tags that mean nothing here: the value is what it is without one, a scalar its text. */
function ignoredTags(prefix: string): readonly Type[] {
  return [
    new Type(prefix, { kind: 'scalar', multi: true, construct: (text: string | null) => text ?? '' }),
    new Type(prefix, { kind: 'sequence', multi: true }),
    new Type(prefix, { kind: 'mapping', multi: true }),
  ];
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** `!!binary` is the text that its base64 decodes to. */
const binaryType = new Type('tag:yaml.org,2002:binary', {
  kind: 'scalar',
  resolve: (text: unknown) => typeof text === 'string' && base64.test(text.replace(/[\r\n]/g, '')),
  construct: (text: string) => Buffer.from(text, 'base64').toString(),
});

/** Plain scalars read as Kubernetes' own YAML reads them: YAML 1.1 booleans and octal integers, no timestamps; tags that it does not know are
 *  ignored. */
const kubernetesSchema: Schema = CORE_SCHEMA.extend({
  explicit: [binaryType, ...ignoredTags('!'), ...ignoredTags('tag:yaml.org,2002:')],
  implicit: [
    numberType('int', isInteger),
    numberType('float', isNumber),
    new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (text: unknown) => text === '<<' || text === null }),
    new Type('tag:yaml.org,2002:bool', {
      kind: 'scalar',
      resolve: (text: unknown) => typeof text === 'string' && yaml11Booleans.has(text),
      construct: (text: string) => yaml11Booleans.get(text),
      predicate: (value) => typeof value === 'boolean',
      represent: (value: object) => JSON.stringify(value),
    }),
  ],
});

/** Deeper texts are refused while they are read, before the reader's own stack runs out. */
const loadOptions: LoadOptions & { readonly maxDepth: number } = {
  schema: kubernetesSchema,
  maxDepth: maxNestingDepth + 1,
};

/** What is wrong with a text and where; lines and columns count from 1. */
export interface YamlFault {
  readonly reason: string;
  readonly line?: number;
  readonly column?: number;
}

/** The cause of errors about texts. */
export class TextFault extends Error {
  readonly fault: YamlFault;

  constructor(fault: YamlFault) {
    super(fault.reason);
    this.fault = fault;
  }
}

/** Aliases share nodes and texts, so that a bomb is small in memory and huge once written out: counts what would be written, over all
 *  documents of a text. */
export class NodeBudget {
  readonly #what: string;
  readonly #maxNodes: number;
  readonly #maxCharacters: number;
  #nodes = 0;
  #characters = 0;

  constructor(what: string, textLength: number, limits?: YamlLimits) {
    this.#what = what;
    // What a text without aliases cannot exceed, and room for honest use of aliases.
    this.#maxNodes = limits?.maxNodes ?? 10_000 + 2 * textLength;
    this.#maxCharacters = limits?.maxCharacters ?? 1024 * 1024 + 8 * textLength;
  }

  /** @throws TerminalError AliasBomb */
  spend(documents: readonly unknown[]): void {
    const pending: unknown[] = [...documents];
    while (pending.length > 0) {
      const value = pending.pop();
      this.#nodes += 1;
      if (typeof value === 'string') this.#characters += value.length;
      else if (Array.isArray(value)) for (const child of value as unknown[]) pending.push(child);
      else if (typeof value === 'object' && value !== null) this.#open(value, pending);
      this.#check();
    }
  }

  #open(value: object, pending: unknown[]): void {
    for (const [key, child] of Object.entries(value)) {
      this.#characters += key.length;
      pending.push(child);
    }
  }

  #check(): void {
    const isFew = this.#nodes <= this.#maxNodes;
    if (isFew && this.#characters <= this.#maxCharacters) return;
    const most = isFew ? `${this.#maxCharacters} characters` : `${this.#maxNodes} nodes`;
    throw new TerminalError('AliasBomb', `${this.#what}: aliases expand to more than ${most}`);
  }
}

/** What a text may have, and what it may become when its aliases are written out. */
export interface YamlLimits {
  /** Values and keys; they are counted while the text is read. */
  readonly maxNodes: number;
  /** Of texts and keys, all together. */
  readonly maxCharacters: number;
}

/** How texts are read. */
export interface YamlReading {
  /** The last value of a key that a mapping has twice counts, as `kubectl` and `opm` read it; else such a mapping is refused. */
  readonly isLastKeyTaken?: boolean;
  /** Default: as much as fits the length of the text. */
  readonly limits?: YamlLimits;
  /** Values and keys that are counted while the text is read, where there are no `limits`. */
  readonly maxNodes?: number;
}

/** How `parseYamlPart` is to see its text. */
interface PartOfText extends YamlReading {
  readonly budget: NodeBudget;
  /** Lines of the whole text that stand before this part. */
  readonly linesBefore: () => number;
}

/** A password that begins with "*" and is not put into quotes is read as an alias: its name is not shown. */
function shownReason(reason: string): string {
  const isAlias = reason.startsWith('unidentified alias "');
  return isAlias ? 'unidentified alias: put a value that begins with "*" into quotes' : reason;
}

function syntaxError(what: string, thrown: unknown, linesBefore: () => number): TerminalError {
  if (thrown instanceof TerminalError) return thrown;
  const { message, reason, mark } = thrown as { message: string; reason?: unknown; mark?: Record<string, unknown> };
  const text = shownReason(typeof reason === 'string' ? reason : message);
  const hasPlace = typeof mark?.['line'] === 'number' && typeof mark['column'] === 'number';
  const place = hasPlace ? { line: Number(mark['line']) + 1 + linesBefore(), column: Number(mark['column']) + 1 } : {};
  const cause = new TextFault({ reason: text, ...place });
  const where = place.line === undefined ? '' : `line ${place.line}, column ${place.column}: `;
  return new TerminalError('InvalidYaml', `${what}: ${where}${text}`, { cause });
}

/** A text as the parser holds it: with a mark at its end. */
export function endedText(text: string): string {
  return text === '' || /[\n\r]$/.test(text.slice(-1)) ? `${text}\0` : `${text}\n\0`;
}

/** The node that the parser begins or ends; a listener may replace `result`. Not the type of js-yaml: declarations of packages would need its types. */
export interface ParserState {
  readonly input: string;
  readonly position: number;
  /** Of the position, from 0, and where that line begins. */
  readonly line: number;
  readonly lineStart: number;
  readonly kind: string;
  result: unknown;
}

/** How `loadSharing` reads. */
interface SharedReading extends YamlReading {
  readonly listener?: (event: 'open' | 'close', state: ParserState) => void;
}

const keyEnd = /\s*:(?=[\s\0,[\]{}])/y;

/** A list or nothing as a key, which the parser would turn into a text, and no tool of Kubernetes accepts.
 *  @throws YAMLException */
function assertKey(state: ParserState): void {
  const { input, position, line, lineStart, result } = state;
  if (result !== null && !Array.isArray(result)) return;
  keyEnd.lastIndex = position;
  if (!keyEnd.test(input)) return;
  const reason = `invalid map key: ${result === null ? 'null' : 'a list'} cannot be a key`;
  throw new YAMLException(reason, { line, column: position - lineStart } as never);
}

/** All documents of an `endedText`. The parser makes a copy of what it is given, from which all its values are cut: here it gives that up for the
 *  text that is there already, so that a large one is in memory once.
 *  @throws YAMLException */
export function loadSharing(ended: string, { listener, isLastKeyTaken = false }: SharedReading = {}): unknown[] {
  let isShared = false;
  return loadAll(ended.slice(0, -1), null, {
    ...loadOptions,
    json: isLastKeyTaken,
    listener(event, state) {
      if (!isShared && state.input === ended) state.input = ended;
      isShared = true;
      if (event === 'close') assertKey(state);
      listener?.(event, state);
    },
  });
}

/** Whether a document is a tag without a value: the line `!.gitignore` of a file that is not YAML. An empty text is written with quotes, or as a block. */
function isTagAlone(ended: string, document: unknown): boolean {
  return document === '' && !/["'|>]/.test(ended.replace(/^[ \t]*#.*$/gm, ''));
}

/** The parser's form of a mapping that is a key. */
const mappingKey = '[object Object]';

function hasMappingKey(documents: readonly unknown[]): boolean {
  const pending: unknown[] = [...documents];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, mappingKey)) return true;
    for (const child of Object.values(value)) pending.push(child);
  }
  return false;
}

/** What is wrong with a text such as `name: {{ .Values.name }}`, in the form of the parser's errors: to YAML that is a mapping whose key is a
 *  mapping, which no tool of Kubernetes accepts. */
function mappingKeyProblem(ended: string, documents: readonly unknown[]): object | undefined {
  if (ended.includes(mappingKey) || !hasMappingKey(documents)) return undefined;
  const reason = 'invalid map key: a mapping cannot be a key';
  const lines = ended.split('\n');
  const line = lines.findIndex((text) => /^(?:[^#"'{]*[:-])?\s*\{\{/.test(text));
  if (line < 0) return { reason };
  const template = '"{{ … }}" looks like a Helm template: render it first, for instance with helm template';
  return { reason: `${reason}; ${template}`, mark: { line, column: lines[line]?.indexOf('{{') } };
}

/** Ends the reading of a text that has more values and keys. */
function nodeCounter(what: string, maxNodes: number): (event: 'open' | 'close') => void {
  let count = 0;
  return (event) => {
    if (event === 'open') count += 1;
    if (count > maxNodes) throw new TerminalError('TooManyValues', `${what}: more than ${maxNodes} values and keys`);
  };
}

/** The documents of one part of a text, an `endedText`; parts are cut between documents.
 *  @throws TerminalError as `parseYamlDocuments` */
export function parseYamlPart(what: string, ended: string, part: PartOfText): JsonValue[] {
  const { budget, linesBefore, isLastKeyTaken = false, limits, maxNodes = limits?.maxNodes } = part;
  const listening = maxNodes === undefined ? {} : { listener: nodeCounter(what, maxNodes) };
  let documents: unknown[];
  try {
    documents = loadSharing(ended, { isLastKeyTaken, ...listening });
  } catch (thrown) {
    throw syntaxError(what, thrown, linesBefore);
  }
  budget.spend(documents);
  const problem = mappingKeyProblem(ended, documents);
  if (problem !== undefined) throw syntaxError(what, problem, linesBefore);
  assertHarmless(what, documents);
  return documents.map((document) => (isTagAlone(ended, document) ? null : (document ?? null)) as JsonValue);
}

/** Parses all documents of a YAML (or JSON) text that came from outside; empty documents are `null`. `what` names it in messages.
 *  @throws TerminalError InvalidYaml (with line and column), AliasBomb, TooManyValues, TooDeeplyNested, ForbiddenKey */
export function parseYamlDocuments(what: string, text: string, reading: YamlReading = {}): JsonValue[] {
  const budget = new NodeBudget(what, text.length, reading.limits);
  return parseYamlPart(what, endedText(text), { ...reading, budget, linesBefore: () => 0 });
}

/** The only document of a YAML text; `null` when it is empty.
 *  @throws TerminalError as `parseYamlDocuments`, and InvalidYaml for several documents */
export function parseYaml(what: string, text: string, options: YamlReading = {}): JsonValue {
  const documents = parseYamlDocuments(what, text, options);
  if (documents.length > 1)
    throw new TerminalError('InvalidYaml', `${what}: expected one document, found ${documents.length}`);
  return documents[0] ?? null;
}

/** The mark of a document's end, which the library writes as if it were any text. */
const endMark = /^\.\.\.\s/;

/** Block style, no aliases, no line folding. */
export function formatYaml(value: unknown): string {
  const text = dump(value, { noRefs: true, lineWidth: -1, schema: kubernetesSchema });
  if (typeof value === 'string') return endMark.test(text) ? `${JSON.stringify(value)}\n` : text;
  const keys = isJsonObject(value) ? Object.keys(value).filter((key) => endMark.test(key)) : [];
  return keys.reduce((all, key) => {
    const at = `\n${all}`.indexOf(`\n${key}:`);
    return at < 0 ? all : `${all.slice(0, at)}${JSON.stringify(key)}${all.slice(at + key.length)}`;
  }, text);
}

/** What is wrong with a text, in one line. */
export function yamlFault(thrown: unknown): YamlFault {
  const cause: unknown = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof TextFault ? cause.fault : { reason: errorMessage(thrown) };
}
