import {
  cutText,
  errorMessage,
  goJson,
  isJsonObject,
  type JsonValue,
  objectAt,
  parseJson,
  parseYamlDocuments,
  sortedKeys,
  TerminalError,
  textAt,
} from '../base/index.ts';
import {
  isManifestObject,
  type ManifestKey,
  manifestKeyText,
  manifestOf,
  type PayloadDirectory,
  type ReleaseManifest,
} from './manifest.ts';
import { renderTemplate, type TemplateValues } from './template.ts';

/** A file of a payload. */
export interface PayloadFile {
  readonly directory: PayloadDirectory;
  readonly name: string;
  readonly content: Buffer;
}

/** The manifests of a payload, in the order of their files, and what was passed over. */
export interface ReadManifests {
  readonly manifests: readonly ReleaseManifest[];
  readonly warnings: readonly string[];
}

/** Of one document; a definition with long schemas has a tenth. */
const maxValues = 500_000;
const repeatedObject = 'RepeatedObject';
const missingFields = 'must contain kubernetes required fields kind and name';

interface ReadDocument {
  readonly value: JsonValue;
  readonly canonicalText: string;
}

/** Values of JSON stand behind one another. */
function* jsonDocuments(text: string): Generator<ReadDocument> {
  const trimmed = text.trim();
  if (trimmed !== '') yield { value: parseJson('document', trimmed, { maxValues }), canonicalText: trimmed };
}

function* yamlDocuments(text: string): Generator<ReadDocument> {
  // The reference takes the last of equal keys, among them words that YAML 1.1 makes equal.
  for (const value of parseYamlDocuments('document', text, { isLastKeyTaken: true })) {
    yield { value, canonicalText: goJson(sortedKeys(value)) };
  }
}

const shownCharacters = 200;

function fieldsOf({ group, kind, namespace, name }: ManifestKey): string {
  const fields = { Group: group, Kind: kind, Namespace: namespace, Name: name };
  const shown = Object.entries(fields).filter(([field, value]) => field !== 'Namespace' || value !== '');
  return shown.map(([field, value]) => `${field}: "${cutText(value, shownCharacters)}"`).join(' ');
}

/** Why a document is no object, in the words of the reference. */
function faultOf({ name }: PayloadFile, value: JsonValue): string {
  const source = name.endsWith('.json') ? '' : 'error unmarshaling JSON: while decoding JSON: ';
  if (!isJsonObject(value) || textAt(value, 'kind') === '') {
    const text = cutText(goJson(sortedKeys(value)), shownCharacters);
    return `${source}unable to decode manifest: Object 'Kind' is missing in '${text}'`;
  }
  const [group = '', version] = textAt(value, 'apiVersion').split('/');
  const metadata = objectAt(value, 'metadata');
  const key = { group: version === undefined ? '' : group, kind: textAt(value, 'kind') };
  const place = { namespace: textAt(metadata, 'namespace'), name: textAt(metadata, 'name') };
  return `${source}Resource with fields ${fieldsOf({ ...key, ...place })} ${missingFields}`;
}

/** What of a manifest is kept until all files are read. */
type Keep = (manifest: ReleaseManifest) => ReleaseManifest;

function readFile(file: PayloadFile, text: string, keep: Keep): ReleaseManifest[] {
  const documents = file.name.endsWith('.json') ? jsonDocuments(text) : yamlDocuments(text);
  const manifests: ReleaseManifest[] = [];
  const known = new Set<string>();
  for (const { value, canonicalText } of documents) {
    if (value === null) continue;
    if (!isManifestObject(value)) throw new TerminalError('InvalidManifest', faultOf(file, value));
    const manifest = manifestOf(file, value, canonicalText);
    const key = manifestKeyText(manifest.key);
    if (known.has(key)) throw new TerminalError(repeatedObject, `duplicate resource: (${fieldsOf(manifest.key)})`);
    known.add(key);
    manifests.push(keep(manifest));
  }
  return manifests;
}

/** The text of a file; undefined for a template that cannot be rendered, which is passed over: a newer engine reads the payload again.
 *  @throws TerminalError InvalidManifest for bytes that are not UTF-8 */
function textOf(file: PayloadFile, values: TemplateValues, warn: (warning: string) => void): string | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(file.content);
  } catch (thrown) {
    throw new TerminalError('InvalidManifest', 'not UTF-8', { cause: thrown });
  }
  if (file.directory !== 'manifests') return text;
  try {
    return renderTemplate(text, values);
  } catch (thrown) {
    warn(`manifests/${file.name}: passed over: ${errorMessage(thrown)}`);
    return undefined;
  }
}

/** Whether a file of a payload is a manifest. */
export function isManifestFile(name: string): boolean {
  return /\.(?:yaml|yml|json)$/.test(name);
}

/** Reads the manifests of a payload's files, which come in any order.
 *  @throws TerminalError InvalidRelease that names every file with a fault
 *  @see docs/spec/cluster-version.md#reading-manifests */
export function readManifests(
  files: readonly PayloadFile[],
  values: TemplateValues,
  keep: Keep = (manifest) => manifest,
): ReadManifests {
  const warnings: string[] = [];
  const faults: string[] = [];
  const manifests = files
    .filter(({ name }) => isManifestFile(name))
    .toSorted(compareFiles)
    .flatMap((file) => {
      try {
        const text = textOf(file, values, (warning) => warnings.push(warning));
        return text === undefined ? [] : readFile(file, text, keep);
      } catch (thrown) {
        const isParsed = thrown instanceof TerminalError && thrown.reason === repeatedObject;
        faults.push(`parse ${file.name}: ${isParsed ? '' : 'error parsing: '}${errorMessage(thrown)}`);
        return [];
      }
    });
  if (faults.length === 0) return { manifests, warnings };
  const shown = faults.length > 20 ? [...faults.slice(0, 20), `and ${faults.length - 20} more`] : faults;
  throw new TerminalError(
    'InvalidRelease',
    `Error loading manifests: ${shown.length === 1 ? shown[0] : `[${shown.join(', ')}]`}`,
  );
}

function compareFiles(a: PayloadFile, b: PayloadFile): number {
  if (a.directory !== b.directory) return a.directory < b.directory ? -1 : 1;
  return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
}
