import { CORE_SCHEMA, dump, type LoadOptions, loadAll, type Schema, Type } from 'js-yaml';
import { TerminalError } from './errors.ts';
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

/** Plain scalars read as Kubernetes' own YAML reads them: YAML 1.1 booleans, no timestamps; local tags are ignored. */
const kubernetesSchema: Schema = CORE_SCHEMA.extend({
  explicit: [
    new Type('!', { kind: 'scalar', multi: true, construct: (text: string | null) => text ?? '' }),
    new Type('!', { kind: 'sequence', multi: true }),
    new Type('!', { kind: 'mapping', multi: true }),
  ],
  implicit: [
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
  return dump(value, { noRefs: true, lineWidth: -1 });
}
