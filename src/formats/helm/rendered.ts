import {
  cutText,
  formatPath,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  lazily,
  objectAt,
  parseYamlDocuments,
  printable,
  TerminalError,
  textAt,
  YamlPositions,
} from '../../base/index.ts';
import { type Rendered, type RenderedHook, renderFailed, type ValuesDocument } from '../format.ts';
import { readManifestFile, ValueCount } from '../manifest-file.ts';

/** When objects of a chart are installed that are no part of its release. */
const hookEvents = [
  'pre-install',
  'post-install',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'pre-delete',
  'post-delete',
  'test',
] as const;

const hookAnnotation = 'helm.sh/hook';
const weightAnnotation = 'helm.sh/hook-weight';
const deleteAnnotation = 'helm.sh/hook-delete-policy';
const defaultPolicy = 'before-hook-creation';
const deletePolicies = [defaultPolicy, 'hook-succeeded', 'hook-failed'];
/** More would not fit into the record of a deployment. */
const maxHooks = 100;

function wordsOf(text: unknown): readonly string[] {
  return typeof text === 'string' ? text.split(',').map((word) => word.trim().toLowerCase()) : [];
}

/** The hook that an object is; undefined for one of the release. `test-success` is Helm 2's name of `test`. */
function hookOf(object: JsonObject): RenderedHook | undefined {
  const annotations = objectAt(object, 'metadata', 'annotations') ?? {};
  if (annotations[hookAnnotation] === undefined) return undefined;
  const words = wordsOf(annotations[hookAnnotation]).map((word) => (word === 'test-success' ? 'test' : word));
  const events = words.filter((word) => (hookEvents as readonly string[]).includes(word));
  const policies = wordsOf(annotations[deleteAnnotation]).filter((word) => deletePolicies.includes(word));
  return {
    object,
    events,
    weight: Number.parseInt(textAt(annotations, weightAnnotation), 10) || 0,
    deletePolicies: policies.length === 0 ? [defaultPolicy] : policies,
  };
}

/** What an engine has rendered, as objects.
 *  @throws TerminalError RenderFailed */
export function readRendered(manifests: Buffer): Pick<Rendered, 'objects' | 'hooks'> {
  const objects: JsonObject[] = [];
  const hooks: RenderedHook[] = [];
  const take = (object: JsonObject): void => {
    const hook = hookOf(object);
    if (hook === undefined) objects.push(object);
    // An unknown event never happens.
    else if (hook.events.length > 0) hooks.push(hook);
  };
  try {
    readManifestFile('the rendered templates', manifests, { take, values: new ValueCount() });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    throw new TerminalError(renderFailed, thrown.message, { cause: thrown });
  }
  if (hooks.length > maxHooks) {
    throw new TerminalError(renderFailed, `the chart has ${hooks.length} hooks, more than the limit of ${maxHooks}`);
  }
  return { objects, hooks };
}

const maxFailureCharacters = 4000;

/** `at '/a/b': got string, want integer` of newer engines, `- a.b: Invalid type` of older ones. */
function pathOfProblem(line: string): readonly string[] | undefined {
  const pointer = /^- at '(\/[^']*)'/.exec(line)?.[1];
  if (pointer !== undefined) {
    const parts = pointer.slice(1).split('/');
    return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  const dotted = /^- ([A-Za-z0-9_.-]+): /.exec(line)?.[1];
  return dotted === undefined || dotted === '(root)' ? undefined : dotted.split('.');
}

function withIndexes(path: readonly string[]): readonly (string | number)[] {
  return path.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Values that have more characters together, ten times what charts need, are not looked through: a place takes as long to find as they are. */
const maxPlacedCharacters = 256 * 1024;

/** The documents of values, each of which is read once, however many problems there are with it. */
class ValuePlaces {
  readonly #documents: readonly { readonly values: ValuesDocument; readonly read: () => PlacedDocument }[];

  constructor(documents: readonly ValuesDocument[]) {
    const isShort = documents.reduce((sum, { text }) => sum + text.length, 0) <= maxPlacedCharacters;
    const placed = isShort ? documents : [];
    this.#documents = placed.map((values) => ({ values, read: lazily(() => readPlaced(values.text)) }));
  }

  /** Where a value was set: in the last document that has it. */
  of(path: readonly string[]): string {
    const document = this.#documents.findLast(({ values, read }) =>
      values.targetPath === undefined ? isSet(read().value, path) : values.targetPath === path.join('.'),
    );
    if (document === undefined) return '';
    const { origin, targetPath, isWritten } = document.values;
    if (isWritten === false) return ` (${origin}.${formatPath(withIndexes(path))})`;
    const at = targetPath === undefined ? document.read().positions.find(0, withIndexes(path)) : undefined;
    return at === undefined ? ` (${origin})` : ` (${origin}:${at.line}:${at.column})`;
  }
}

interface PlacedDocument {
  readonly value: JsonValue;
  readonly positions: YamlPositions;
}

function readPlaced(text: string): PlacedDocument {
  const [value = null] = parseYamlDocuments('values', text);
  return { value, positions: new YamlPositions(text) };
}

function isSet(document: JsonValue, path: readonly string[]): boolean {
  let value: unknown = document;
  for (const part of path) {
    if (Array.isArray(value)) value = (value as readonly unknown[])[Number(part)];
    else value = isJsonObject(value as JsonObject) ? (value as JsonObject)[part] : undefined;
  }
  return value !== undefined;
}

/** What an engine has written about a failure, with the places of values that do not fit the chart's schema, as far as it is shown. */
export function explainFailure(text: string, values: readonly ValuesDocument[]): string {
  const places = new ValuePlaces(values);
  const lines = cutText(text.trim(), maxFailureCharacters)
    .split('\n')
    .map((line) => {
      const path = pathOfProblem(line.trim());
      return path === undefined ? line : `${line}${places.of(path)}`;
    });
  return cutText(printable(lines.join('\n').trim()), maxFailureCharacters);
}
