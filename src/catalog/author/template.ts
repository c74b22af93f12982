import {
  errorMessage,
  goQuote,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseYaml,
  TerminalError,
  textAt,
} from '../../base/index.ts';

/** What a template becomes. */
export interface BuiltTemplate {
  /** Of a catalog, in no particular order. */
  readonly documents: readonly JsonObject[];
  /** What the author should know. */
  readonly warnings: readonly string[];
}

/** A template that was read: pure, so that any caller with the bundles can build it. */
export interface CatalogTemplate {
  /** Bundles that are needed, by their references; each once. */
  readonly references: readonly string[];
  /** `rendered` has the documents that each reference became.
   *  @throws TerminalError InvalidTemplate */
  build(rendered: ReadonlyMap<string, readonly JsonObject[]>): BuiltTemplate;
}

/** @throws TerminalError InvalidTemplate, always */
export function refuseTemplate(text: string, cause?: unknown): never {
  throw new TerminalError('InvalidTemplate', text, { cause });
}

/** The document of a template file.
 *  @throws TerminalError InvalidTemplate */
export function templateDocument(text: string): JsonObject {
  let document: JsonValue;
  try {
    document = parseYaml('template', text);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return refuseTemplate(`decoding template schema: ${errorMessage(thrown)}`, thrown);
  }
  return isJsonObject(document) ? document : refuseTemplate('decoding template schema: expected an object');
}

/** @throws TerminalError InvalidTemplate for a template of another schema */
export function assertSchema(document: JsonObject, expected: string): void {
  const found = textAt(document, 'schema');
  if (found !== expected) {
    refuseTemplate(`template has unknown schema (${goQuote(found)}), should be ${goQuote(expected)}`);
  }
}

/** The documents of a template's list of entries.
 *  @throws TerminalError InvalidTemplate */
export function entriesOf(document: JsonObject): readonly JsonObject[] {
  const entries = document['entries'] ?? [];
  if (!Array.isArray(entries)) return refuseTemplate('unmarshalling template: entries: expected a list');
  return entries.map((entry, index) => {
    const at = `unmarshalling template: entries[${index}]`;
    if (!isJsonObject(entry)) return refuseTemplate(`${at}: expected an object`);
    return textAt(entry, 'schema') === '' ? refuseTemplate(`${at}: schema must be set`) : entry;
  });
}

/** The one bundle that a reference became.
 *  @throws TerminalError InvalidTemplate */
export function onlyBundle(reference: string, rendered: ReadonlyMap<string, readonly JsonObject[]>): JsonObject {
  const bundles = (rendered.get(reference) ?? []).filter(({ schema }) => schema === 'olm.bundle');
  const [bundle] = bundles;
  if (bundle !== undefined && bundles.length === 1) return bundle;
  return refuseTemplate(`bundle reference ${goQuote(reference)} resulted in ${bundles.length} bundles, expected 1`);
}
