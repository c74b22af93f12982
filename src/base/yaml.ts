import { CORE_SCHEMA, dump, type LoadOptions, loadAll, type Schema, Type } from 'js-yaml';
import { errorMessage, TerminalError } from './errors.ts';
import { assertHarmless, type JsonValue, maxNestingDepth } from './json.ts';

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

/** A number starts with a digit, a sign or a point; underscores in it do not count. */
function numberText(text: string): string {
  return /^[-+.0-9]/.test(text) ? text.replaceAll('_', '') : text;
}

function isInteger(text: unknown): boolean {
  return typeof text === 'string' && goInteger.test(numberText(text));
}

function isNumber(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const plain = numberText(text);
  return goInteger.test(plain) || goFloat.test(plain) || notFinite.test(plain);
}

/** A leading zero makes an integer octal, as in `defaultMode: 0644`.
 *  @throws Error for infinity and not-a-number, which JSON cannot say */
function toNumber(text: string): number {
  const plain = numberText(text);
  if (notFinite.test(plain)) throw new Error(`unsupported value: ${text}`);
  if (!goInteger.test(plain)) return Number.parseFloat(plain);
  const sign = plain.startsWith('-') ? -1 : 1;
  const digits = plain.replace(/^[-+]/, '');
  // Adding 0 makes a negative zero a plain one.
  return sign * Number(digits.replace(/^0(?=[0-7])/, '0o')) + 0;
}

function numberType(name: 'int' | 'float', resolve: (text: unknown) => boolean): Type {
  return new Type(`tag:yaml.org,2002:${name}`, {
    kind: 'scalar',
    resolve,
    construct: toNumber,
    predicate: (value) => typeof value === 'number' && (name === 'float' || Number.isInteger(value)),
    represent: (value: object) => JSON.stringify(value),
  });
}

/** Plain scalars read as Kubernetes' own YAML reads them: YAML 1.1 booleans and octal integers, no timestamps; local tags are
 *  ignored. */
const kubernetesSchema: Schema = CORE_SCHEMA.extend({
  explicit: [
    new Type('!', { kind: 'scalar', multi: true, construct: (text: string | null) => text ?? '' }),
    new Type('!', { kind: 'sequence', multi: true }),
    new Type('!', { kind: 'mapping', multi: true }),
  ],
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

/** How texts from outside are read. Deeper texts are refused while they are read, before the reader's own stack runs out. */
export const loadOptions: LoadOptions & { readonly maxDepth: number } = {
  schema: kubernetesSchema,
  json: false,
  maxDepth: maxNestingDepth + 1,
};

/** Nodes that a text without aliases cannot exceed, and room for honest use of aliases. */
function maxNodes(text: string): number {
  return 10_000 + 2 * text.length;
}

/** Aliases share nodes, so that a bomb is small in memory and huge once written out: count what would be written. */
function assertNoAliasBomb(what: string, text: string, documents: readonly unknown[]): void {
  const limit = maxNodes(text);
  const pending: unknown[] = [...documents];
  let count = 0;
  while (pending.length > 0) {
    const value = pending.pop();
    if (++count > limit) {
      throw new TerminalError('AliasBomb', `${what}: aliases expand to more than ${limit} nodes`);
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const child of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) pending.push(child);
  }
}

/** Parses all documents of a YAML (or JSON) text that came from outside; empty documents are `null`. `what` names it in messages.
 *  @throws TerminalError InvalidYaml (with line and column), AliasBomb, TooDeeplyNested, ForbiddenKey */
export function parseYamlDocuments(what: string, text: string): JsonValue[] {
  let documents: unknown[];
  try {
    documents = loadAll(text, null, loadOptions);
  } catch (thrown) {
    throw new TerminalError('InvalidYaml', `${what}: ${(thrown as Error).message}`, { cause: thrown });
  }
  assertNoAliasBomb(what, text, documents);
  assertHarmless(what, documents);
  return documents.map((document) => (document ?? null) as JsonValue);
}

/** The only document of a YAML text; `null` when it is empty.
 *  @throws TerminalError as `parseYamlDocuments`, and InvalidYaml for several documents */
export function parseYaml(what: string, text: string): JsonValue {
  const documents = parseYamlDocuments(what, text);
  if (documents.length > 1)
    throw new TerminalError('InvalidYaml', `${what}: expected one document, found ${documents.length}`);
  return documents[0] ?? null;
}

/** Block style, no aliases, no line folding. */
export function formatYaml(value: unknown): string {
  return dump(value, { noRefs: true, lineWidth: -1, schema: kubernetesSchema });
}

/** What is wrong with a text and where; lines and columns count from 1. */
export interface YamlFault {
  readonly reason: string;
  readonly line?: number;
  readonly column?: number;
}

/** What `parseYamlDocuments` found wrong, in one line. */
export function yamlFault(thrown: unknown): YamlFault {
  const cause: unknown = thrown instanceof Error ? thrown.cause : undefined;
  if (!(cause instanceof Error)) return { reason: errorMessage(thrown) };
  const { reason, mark } = cause as { reason?: unknown; mark?: { line?: unknown; column?: unknown } };
  if (typeof reason !== 'string') return { reason: cause.message };
  if (typeof mark?.line !== 'number' || typeof mark.column !== 'number') return { reason };
  return { reason, line: mark.line + 1, column: mark.column + 1 };
}
