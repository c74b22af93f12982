import { dependenciesAnnotation, packageAnnotation } from '../api/index.ts';
import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseYaml,
  TerminalError,
} from '../base/index.ts';
import {
  defaultDependencyLimits,
  type Property,
  readDependencies,
  readRequiredProperties,
  requirementOf,
} from '../constraints/index.ts';
import { annotationMap, annotationTexts, checkBundleAnnotations, type Findings } from './bundle-annotations.ts';
import { unknownDependencies } from './bundle-facts.ts';

/** Files of a bundle's `metadata` directory that are read, in this order. */
export const metadataFileNames = ['annotations.yaml', 'dependencies.yaml', 'properties.yaml'] as const;

/** What a bundle's metadata declares: `properties` are those of `properties.yaml`, and what `dependencies.yaml` asks for, as properties. */
export interface BundleMetadata extends Findings {
  readonly properties: readonly Property[];
  /** From the annotations. */
  readonly packageName?: string | undefined;
}

function parse(file: string, content: Buffer): JsonValue {
  return parseYaml(file, content.toString('utf8').replace(/^\uFEFF/, ''), { isLastKeyTaken: true });
}

function listIn(document: JsonValue, member: string): JsonValue {
  return isJsonObject(document) ? (document[member] ?? null) : document;
}

type Reader = (file: string, document: JsonValue, provisionerClassName: string) => BundleMetadata;

const readAnnotationFile: Reader = (file, document, provisionerClassName) => {
  const map = annotationMap(document);
  if (map === undefined) {
    return { problems: [`${file}: expected a mapping "annotations"`], warnings: [], properties: [] };
  }
  const { annotations, problems, warnings } = annotationTexts(file, map);
  const found = checkBundleAnnotations(annotations, { provisionerClassName, isContent: true });
  const packageName = annotations[packageAnnotation];
  return {
    problems: [...problems, ...found.problems],
    warnings: [...warnings, ...found.warnings],
    properties: [],
    packageName,
  };
};

const readDependencyFile: Reader = (file, document) => {
  const list = listIn(document, 'dependencies');
  const { problems } = readDependencies('dependencies', list);
  if (problems.length > 0) {
    return { problems: problems.map((text) => `${file}: ${text}`), warnings: [], properties: [] };
  }
  const entries = Array.isArray(list) ? list.filter(isJsonObject) : [];
  const properties = entries.flatMap(({ type, value = null }) =>
    typeof type === 'string' ? [requirementOf(type, value)] : [],
  );
  return { problems: [], warnings: [], properties };
};

function propertyOf(item: JsonValue): Property | string {
  if (!isJsonObject(item)) return 'expected an object with type and value';
  const { type, value } = item as JsonObject;
  if (typeof type !== 'string' || type === '') return 'type must be set';
  return value === undefined || value === null ? 'value must be set' : { type, value };
}

const readPropertyFile: Reader = (file, document) => {
  const list = listIn(document, 'properties') ?? [];
  if (!Array.isArray(list)) return { problems: [`${file}: properties: expected a list`], warnings: [], properties: [] };
  const items = list.map(propertyOf);
  const wrong = items.flatMap((item, index) =>
    typeof item === 'string' ? [`${file}: properties[${index}]: ${item}`] : [],
  );
  const properties = items.filter((item) => typeof item !== 'string');
  const { problems } = readRequiredProperties('properties', properties, defaultDependencyLimits);
  return { problems: [...wrong, ...problems.map((text) => `${file}: ${text}`)], warnings: [], properties };
};

const readers: Readonly<Record<(typeof metadataFileNames)[number], Reader>> = {
  'annotations.yaml': readAnnotationFile,
  'dependencies.yaml': readDependencyFile,
  'properties.yaml': readPropertyFile,
};

/** A published operator must not be lost to a slip in a file that its own installer never reads: this is a warning, and nothing is known of
 *  its dependencies; a property records that. */
function unreadable(thrown: TerminalError): BundleMetadata {
  const advice = `the dependencies of the bundle are unknown and not awaited: correct the file, or set the annotation ${dependenciesAnnotation}`;
  const text = errorMessage(thrown);
  return { problems: [], warnings: [`${text}: ${advice}`], properties: [unknownDependencies(text)] };
}

/** A file of a mebibyte may have half a million; all of them would be one message. */
const maxProblems = 100;

function boundedProblems(problems: readonly string[]): readonly string[] {
  if (problems.length <= maxProblems) return problems;
  return [...problems.slice(0, maxProblems), `${problems.length - maxProblems} more problems`];
}

/** Reads and validates the files of a bundle's `metadata` directory; missing files count as empty.
 *  @see docs/spec/admission.md#annotation-rules, docs/spec/admission.md#dependency-rules */
export function readBundleMetadata(files: ReadonlyMap<string, Buffer>, provisionerClassName: string): BundleMetadata {
  const parts = metadataFileNames.flatMap((name): BundleMetadata[] => {
    const content = files.get(name);
    if (content === undefined || content.length === 0) return [];
    const file = `metadata/${name}`;
    try {
      return [readers[name](file, parse(file, content), provisionerClassName)];
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      if (name === 'dependencies.yaml' && thrown.reason === 'InvalidYaml') return [unreadable(thrown)];
      return [{ problems: [errorMessage(thrown)], warnings: [], properties: [] }];
    }
  });
  return {
    problems: boundedProblems(parts.flatMap(({ problems }) => problems)),
    warnings: parts.flatMap(({ warnings }) => warnings),
    properties: parts.flatMap(({ properties }) => properties),
    packageName: parts[0]?.packageName,
  };
}
