import { bundleAnnotationPrefix, packageAnnotation } from '../api/index.ts';
import { isJsonObject, type JsonObject, type JsonValue, normalizePath, scalarText } from '../base/index.ts';

/** What a set of rules found. */
export interface Findings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Where annotations come from. */
export interface AnnotationPlace {
  /** Decides which media type fits. */
  readonly provisionerClassName: string;
  /** Content has to name its package and channels where its format asks for it; objects need not. */
  readonly isContent: boolean;
}

const channelsKey = `${bundleAnnotationPrefix}channels.v1`;
const defaultChannelKey = `${bundleAnnotationPrefix}channel.default.v1`;
const registryType = 'registry+v1';
const mediaTypes: ReadonlyMap<string, string> = new Map([
  ['core-rukpak-io-plain', 'plain+v0'],
  ['core-rukpak-io-registry', registryType],
  ['core-rukpak-io-helm', 'helm+v3'],
]);
const maxShownCharacters = 200;

type Annotations = Readonly<Record<string, string>>;
type Rule = (value: string, key: string, place: AnnotationPlace) => Findings;

const silence: Findings = { problems: [], warnings: [] };
const problem = (text: string): Findings => ({ problems: [text], warnings: [] });

function shown(text: string): string {
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;
}

function joined(findings: readonly Findings[]): Findings {
  return {
    problems: findings.flatMap(({ problems }) => problems),
    warnings: findings.flatMap(({ warnings }) => warnings),
  };
}

const mediaType: Rule = (value, key, { provisionerClassName }) => {
  const fitting = mediaTypes.get(provisionerClassName);
  const allowed = fitting === undefined ? [...mediaTypes.values()] : [fitting];
  if (allowed.includes(value)) return silence;
  const expected = allowed.map((one) => `"${one}"`).join(' or ');
  return problem(`Expecting annotation "${key}" to have value ${expected} instead of "${shown(value)}"`);
};

function isInside(value: string): boolean {
  const unified = value.replaceAll('\\', '/');
  if (unified.startsWith('/') || /^[a-zA-Z]:/.test(unified) || unified.includes('\0')) return false;
  return !`${normalizePath(unified)}/`.startsWith('../');
}

const directory =
  (usual: string): Rule =>
  (value, key) => {
    if (!isInside(value)) {
      return problem(`annotation "${key}": "${shown(value)}" is not a relative directory inside the bundle`);
    }
    if (value.replace(/\/$/, '') === usual) return silence;
    const text = `annotation "${key}" is "${shown(value)}", but the directory "${usual}/" is read`;
    return { problems: [], warnings: [text] };
  };

const packageName: Rule = (value, key) => {
  if (value === '') return problem('package name is empty');
  const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
  if (value.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(value)) return silence;
  const rule = "a DNS-1123 subdomain: lower case letters, digits, '-' and '.', at most 253 characters";
  return problem(`annotation "${key}": package name "${shown(value)}" must be ${rule}`);
};

const channels: Rule = (value, key) => {
  if (value === '') return problem(`Expecting annotation "${key}" to have non-empty value`);
  const names = value.split(',');
  const empty = names.findIndex((name) => name.trim() === '');
  if (empty >= 0) return problem(`annotation "${key}": channel ${empty + 1} of "${shown(value)}" is empty`);
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return problem(`annotation "${key}": channel "${shown(name)}" is named twice`);
    seen.add(name);
  }
  return silence;
};

/** The default channel of the package, which need not be a channel of this bundle: bundles of older channels name it as well. */
const defaultChannel: Rule = (value, key) =>
  value === '' ? problem(`Expecting annotation "${key}" to have non-empty value`) : silence;

const rules: ReadonlyMap<string, Rule> = new Map([
  [`${bundleAnnotationPrefix}mediatype.v1`, mediaType],
  [`${bundleAnnotationPrefix}manifests.v1`, directory('manifests')],
  [`${bundleAnnotationPrefix}metadata.v1`, directory('metadata')],
  [packageAnnotation, packageName],
  [channelsKey, channels],
  [defaultChannelKey, defaultChannel],
]);

function missing(annotations: Annotations, { provisionerClassName, isContent }: AnnotationPlace): Findings {
  const isRequired = isContent && mediaTypes.get(provisionerClassName) === registryType;
  const required = isRequired ? [packageAnnotation, channelsKey] : [];
  const absent = required.filter((key) => !Object.hasOwn(annotations, key));
  return { problems: absent.map((key) => `Missing annotation "${key}"`), warnings: [] };
}

/** Several channels and none by default: tools for catalogs take the first channel by name. */
function undecided(annotations: Annotations): Findings {
  const count = annotations[channelsKey]?.split(',').length ?? 0;
  if (count < 2 || Object.hasOwn(annotations, defaultChannelKey)) return silence;
  const text = `Missing annotation "${defaultChannelKey}": it selects the default of the ${count} channels`;
  return { problems: [], warnings: [text] };
}

/** Validates the annotations that describe a bundle, whatever else is among them.
 *  @see docs/spec/admission.md#annotation-rules; texts of docs/spec/bundle-format.md#media-types-and-format-checks */
export function checkBundleAnnotations(annotations: Annotations, place: AnnotationPlace): Findings {
  const ours = Object.entries(annotations)
    .filter(([key]) => key.startsWith(bundleAnnotationPrefix))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const ofKeys = ours.map(([key, value]) => {
    const rule = rules.get(key);
    if (rule !== undefined) return rule(value, key, place);
    return { problems: [], warnings: [`unknown bundle annotation "${shown(key)}"`] };
  });
  return joined([missing(annotations, place), ...ofKeys, undecided(annotations)]);
}

/** The annotations about the bundle among the members of an `annotations` map. Other annotations may have any value, as all tools accept. */
export function annotationTexts(file: string, members: JsonObject): { readonly annotations: Annotations } & Findings {
  const [problems, warnings]: [string[], string[]] = [[], []];
  const annotations: Record<string, string> = {};
  for (const [key, value = null] of Object.entries(members)) {
    if (!key.startsWith(bundleAnnotationPrefix)) continue;
    const start = `${file}: annotation "${shown(key)}": expected a string, found`;
    const text = scalarText(value);
    if (text === undefined) problems.push(`${start} a ${Array.isArray(value) ? 'list' : 'mapping'}`);
    else annotations[key] = text;
    if (text !== undefined && text !== value) warnings.push(`${start} ${text === '' ? 'null' : shown(text)}: quote it`);
  }
  return { annotations, problems, warnings };
}

/** The `annotations` map of a parsed `metadata/annotations.yaml`. */
export function annotationMap(document: JsonValue): JsonObject | undefined {
  const map = isJsonObject(document) ? document['annotations'] : undefined;
  return isJsonObject(map) ? map : undefined;
}
