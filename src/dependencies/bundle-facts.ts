import {
  bundlePropertiesAnnotation,
  dependenciesAnnotation,
  packageAnnotation,
  packageVersionAnnotation,
} from '../api/index.ts';
import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  parseYaml,
  TerminalError,
} from '../base/index.ts';
import {
  type Dependency,
  type Property,
  parseTolerantVersion,
  type ReadDependencies,
  readDependencies,
  readRequiredProperties,
} from '../constraints/index.ts';

type Annotations = Readonly<Record<string, string>>;

/** Read where others wait: more takes longer than a tenth of a second. */
const maxAnnotationBytes = 65_536;
/** What is written of a bundle's properties into an annotation of its Bundle; all annotations together may have 256 KiB. */
const maxPropertiesBytes = 65_536;
/** Type of the property of a bundle whose file of dependencies cannot be read; the value is the reason. */
const unknownType = 'core.rukpak.io/unknown-dependencies';
const maxReason = 1000;
const neededTypes: ReadonlySet<string> = new Set([
  'olm.package',
  'olm.package.required',
  'olm.gvk.required',
  'olm.constraint',
  unknownType,
]);

function parseList(what: string, text: string): JsonValue {
  if (Buffer.byteLength(text) > maxAnnotationBytes) {
    throw new TerminalError('InvalidDependency', `longer than ${maxAnnotationBytes} bytes`);
  }
  return parseYaml(what, text);
}

/** Reads the annotation with dependencies, in the form of `metadata/dependencies.yaml`: the list, or a mapping with it.
 *  Nothing there: no dependencies. */
export function readAnnotatedDependencies(annotations: Annotations): ReadDependencies {
  const text = annotations[dependenciesAnnotation];
  if (text === undefined) return { dependencies: [], problems: [] };
  const what = `annotation "${dependenciesAnnotation}"`;
  try {
    const document = parseList(what, text);
    const list = isJsonObject(document) ? (document['dependencies'] ?? document) : document;
    const { dependencies, problems } = readDependencies('dependencies', list);
    return { dependencies, problems: problems.map((problem) => `${what}: ${problem}`) };
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return { dependencies: [], problems: [`${what}: ${errorMessage(thrown)}`] };
  }
}

/** What is wrong with the annotation that gives a package's version. */
export function packageVersionProblems(annotations: Annotations): readonly string[] {
  const text = annotations[packageVersionAnnotation];
  if (text === undefined) return [];
  try {
    parseTolerantVersion(text);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return [`annotation "${packageVersionAnnotation}": ${errorMessage(thrown)}`];
  }
}

function recorded(annotations: Annotations): readonly Property[] {
  const text = annotations[bundlePropertiesAnnotation];
  if (text === undefined) return [];
  let list: JsonValue;
  try {
    list = parseJson(bundlePropertiesAnnotation, text);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return [];
  }
  if (!Array.isArray(list)) return [];
  return list.flatMap((item): Property[] => {
    if (!isJsonObject(item)) return [];
    const { type, value = null } = item;
    return typeof type === 'string' ? [{ type, value }] : [];
  });
}

function annotatedPackage(annotations: Annotations): readonly Property[] {
  const { [packageAnnotation]: packageName, [packageVersionAnnotation]: version } = annotations;
  if (packageName === undefined || version === undefined || packageVersionProblems(annotations).length > 0) return [];
  return [{ type: 'olm.package', value: { packageName, version } }];
}

/** The facts in a Bundle's annotations: what the provisioner noted of its content, and what its author wrote on it. */
export function readProperties(annotations: Annotations = {}): readonly Property[] {
  const ofContent = recorded(annotations);
  const isNamed = ofContent.some(({ type }) => type === 'olm.package');
  return isNamed ? ofContent : [...ofContent, ...annotatedPackage(annotations)];
}

/** What a bundle needs, by its properties and by its annotations. What cannot be read was refused before, and counts as absent. */
export function dependenciesOf(properties: readonly Property[], annotations: Annotations = {}): readonly Dependency[] {
  const required = readRequiredProperties('properties', properties);
  return [...required.dependencies, ...readAnnotatedDependencies(annotations).dependencies];
}

/** How many times as long as others the characters of rules take to be read. */
const ruleWeight = 8;

/** Whether there may be a rule in it; what is escaped may be one. */
function mayHaveRule(text: string): boolean {
  return text.includes('cel') || text.includes('\\');
}

function weighed(text: string): number {
  return text.length * (mayHaveRule(text) ? ruleWeight : 1);
}

/** How many characters declare what a bundle needs, where those of rules count as what they take. */
export function neededCharacters(properties: readonly Property[], annotations: Annotations = {}): number {
  const needed = properties.filter(({ type }) => neededTypes.has(type)).map((one) => JSON.stringify(one));
  return [...needed, annotations[dependenciesAnnotation] ?? ''].reduce((sum, text) => sum + weighed(text), 0);
}

/** Whether a bundle declares that it needs something. */
export function hasNeeds(properties: readonly Property[], annotations: Annotations = {}): boolean {
  const isNamed = annotations[dependenciesAnnotation] !== undefined;
  return isNamed || properties.some(({ type }) => type !== 'olm.package' && neededTypes.has(type));
}

/** The property of a bundle whose dependencies are unknown. */
export function unknownDependencies(why: string): Property {
  return { type: unknownType, value: why.slice(0, maxReason) };
}

/** Why the dependencies of a bundle are unknown; undefined where it is known, be it from its annotations. */
export function whyUnknown(properties: readonly Property[], annotations: Annotations = {}): string | undefined {
  if (annotations[dependenciesAnnotation] !== undefined) return undefined;
  const value = properties.find(({ type }) => type === unknownType)?.value;
  return typeof value === 'string' ? value : undefined;
}

function sizeOf(properties: readonly Property[]): number {
  return Buffer.byteLength(JSON.stringify(properties));
}

/** The properties that are noted of a content: all where they fit, else without those that no dependency is about, else without
 *  the APIs it provides.
 *  @throws TerminalError InvalidBundle when what it needs alone is too much */
export function boundedProperties(properties: readonly Property[]): readonly Property[] {
  const needed = properties.filter(({ type }) => neededTypes.has(type));
  const apis = properties.filter(({ type }) => type === 'olm.gvk');
  const found = [properties, [...needed, ...apis], needed].find((some) => sizeOf(some) <= maxPropertiesBytes);
  if (found !== undefined) return found;
  throw new TerminalError(
    'InvalidBundle',
    `metadata: package and dependencies take ${sizeOf(needed)} bytes, more than the limit of ${maxPropertiesBytes}`,
  );
}

function apisOf(spec: JsonObject): readonly Property[] {
  const { group, names, versions } = spec;
  const kind = isJsonObject(names) ? names['kind'] : undefined;
  if (typeof group !== 'string' || typeof kind !== 'string' || !Array.isArray(versions)) return [];
  return versions.flatMap((one): Property[] => {
    const version = isJsonObject(one) && one['served'] !== false ? one['name'] : undefined;
    return typeof version === 'string' ? [{ type: 'olm.gvk', value: { group, version, kind } }] : [];
  });
}

/** What a bundle offers by its manifests: the package at the version of its ClusterServiceVersion, where it has one, and the APIs that its
 *  CustomResourceDefinitions serve. */
export function offeredProperties(
  objects: readonly JsonObject[],
  packageName: string | undefined,
): readonly Property[] {
  return objects.flatMap(({ kind, spec }): readonly Property[] => {
    if (!isJsonObject(spec)) return [];
    if (kind === 'CustomResourceDefinition') return apisOf(spec);
    const { version } = spec;
    if (kind !== 'ClusterServiceVersion' || packageName === undefined || typeof version !== 'string') return [];
    return [{ type: 'olm.package', value: { packageName, version } }];
  });
}
