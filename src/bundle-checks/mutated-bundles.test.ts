/** @module-tag long */
import { describe, expect, test } from 'vitest';
import { testBundle, tideFiles, validateBundle } from '../../test/support/checked-bundle.ts';
import { corpusBundle, expectedRenderings } from '../../test/support/index.ts';
import {
  type FieldPath,
  formatPath,
  formatYaml,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseYamlDocuments,
  valueAt,
} from '../base/index.ts';
import type { Finding } from './finding.ts';

type Files = Readonly<Record<string, string>>;

/** A file of a bundle with one object in it, written out again so that a mutation changes nothing else. */
interface Subject {
  readonly files: Files;
  readonly path: string;
  readonly object: JsonObject;
  /** The findings before the mutation. */
  readonly known: readonly Finding[];
}

function filesOf(name: string): Files {
  const { manifests = [], metadata } = corpusBundle(name);
  const inFolder = (folder: string, entries: typeof metadata): [string, string][] =>
    entries.flatMap((entry) => (entry.kind === 'file' ? [[`${folder}/${entry.name}`, String(entry.content)]] : []));
  return Object.fromEntries([...inFolder('manifests', manifests), ...inFolder('metadata', metadata)]);
}

function documentsOf(text: string): readonly JsonValue[] {
  try {
    return parseYamlDocuments('', text).filter((document) => document !== null);
  } catch {
    return [];
  }
}

/** The first file that holds one object that `matches`. */
function subjectOf(files: Files, matches: (object: JsonObject) => boolean): Subject | undefined {
  for (const [path, text] of Object.entries(files)) {
    const [object, another] = documentsOf(text);
    if (!isJsonObject(object) || another !== undefined || !matches(object)) continue;
    const written = { ...files, [path]: formatYaml(object) };
    return { files: written, path, object, known: validate(written) };
  }
  return undefined;
}

function pathsIn(value: JsonValue, at: FieldPath = []): readonly FieldPath[] {
  const below = Array.isArray(value) ? [...value.entries()] : isJsonObject(value) ? Object.entries(value) : [];
  return [...(at.length === 0 ? [] : [at]), ...below.flatMap(([step, child]) => pathsIn(child ?? null, [...at, step]))];
}

/** `amount` of them, from all parts: the same ones in each run, and others for each `start`. */
function spread<T>(items: readonly T[], start: number, amount: number): readonly T[] {
  const step = Math.max(1, items.length / amount);
  const at = (index: number): number => (start + Math.floor(index * step)) % items.length;
  return Array.from({ length: Math.min(amount, items.length) }, (_, index) => items[at(index)] as T);
}

type Change = (holder: JsonValue[] | JsonObject, step: string | number) => void;

function memberOf(holder: JsonValue[] | JsonObject, step: string | number): JsonValue | undefined {
  return Array.isArray(holder) ? holder[Number(step)] : valueAt(holder, String(step));
}

const drop: Change = (holder, step) => {
  if (Array.isArray(holder)) holder.splice(Number(step), 1);
  else delete holder[step];
};
const retype: Change = (holder, step) => {
  const value = memberOf(holder, step);
  const wrong = isJsonObject(value) ? ['wrong'] : Array.isArray(value) ? 'wrong' : { wrong: 1 };
  Object.assign(holder, { [step]: wrong });
};
const rename: Change = (holder, step) => {
  const value = memberOf(holder, step);
  drop(holder, step);
  Object.assign(holder, { [`${step}Odd`]: value });
};

function mutated(object: JsonObject, path: FieldPath, change: Change): string {
  const copy = structuredClone(object);
  let holder: JsonValue = copy;
  for (const step of path.slice(0, -1)) holder = memberOf(holder as JsonObject, step) ?? null;
  change(holder as JsonObject, path.at(-1) ?? '');
  return formatYaml(copy);
}

function validate(files: Files): readonly Finding[] {
  return validateBundle(testBundle(files), { select: ['default'] });
}

function isRelated({ fieldPath = '' }: Finding, path: string): boolean {
  return path.startsWith(fieldPath) || fieldPath.startsWith(path);
}

const textOf = ({ id, message }: Finding): string => `${id} ${message}`;

/** New findings about the mutation in its file. */
function newFindings(
  subject: Subject,
  path: FieldPath,
  change: Change,
): { text: string; findings: readonly Finding[] } {
  const known = new Set(subject.known.map(textOf));
  const text = mutated(subject.object, path, change);
  const found = validate({ ...subject.files, [subject.path]: text }).filter((finding) => !known.has(textOf(finding)));
  return { text, findings: found.filter(({ file }) => file === subject.path) };
}

/** Whether the line of a finding is that of its field: it has its name, or is an item of a list. */
function isAtField({ line = 0, fieldPath = '' }: Finding, text: string): boolean {
  const written = text.split('\n')[line - 1] ?? '';
  const key = /(?:^|\.|\[")([^.[\]"]+)(?:"\])?$/.exec(fieldPath)?.[1];
  return key === undefined ? written.trimStart().startsWith('-') : written.includes(key);
}

const isCsv = ({ kind }: JsonObject): boolean => kind === 'ClusterServiceVersion';
const isDefinition = ({ kind, apiVersion }: JsonObject): boolean =>
  kind === 'CustomResourceDefinition' && apiVersion === 'apiextensions.k8s.io/v1';
const isMetadata = ({ annotations }: JsonObject): boolean => isJsonObject(annotations);

/** Fields without which no tool takes a bundle; `*` is any step. */
const requiredOfCsv = [
  'spec.displayName',
  'spec.install',
  'spec.install.strategy',
  'spec.install.spec.deployments',
  'spec.installModes',
  'spec.customresourcedefinitions.owned.*.(name|version|kind)',
  'spec.install.spec.deployments.*.(name|spec)',
  'spec.install.spec.deployments.*.spec.(selector|template)',
  'spec.install.spec.deployments.*.spec.template.spec.containers.*.name',
  'spec.install.spec.(permissions|clusterPermissions).*.rules.*.verbs',
  'spec.webhookdefinitions.*.(type|generateName|sideEffects|admissionReviewVersions)',
  'spec.relatedImages.*.image',
];
const requiredOfDefinition = [
  'metadata.name',
  'spec.(group|names|scope|versions)',
  'spec.names.(plural|kind)',
  'spec.versions.*.(name|storage|schema)',
];
const requiredOfMetadata = [
  'annotations',
  'annotations.operators.operatorframework.io.bundle.(mediatype|manifests|metadata|package|channels).v1',
];

function matching(object: JsonObject, patterns: readonly string[]): readonly FieldPath[] {
  const expressions = patterns.map(
    (pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`),
  );
  return pathsIn(object).filter((path) => expressions.some((one) => one.test(path.join('.'))));
}

const names = ['tide-gauge', ...expectedRenderings().map(({ bundle }) => bundle.replace('@', '/'))];
/** Of each kind, of each bundle of the corpus. */
const mutations = 1;

// Without the corpus a small bundle stands for it; of that one everything is changed.
describe.each(names.map((name, index) => ({ name, index })))('mutated corpus bundles: $name', ({ name, index }) => {
  const files: Files = index === 0 ? tideFiles : filesOf(name);
  const some = <T>(items: readonly T[]): readonly T[] => spread(items, index * 5, index === 0 ? 1000 : mutations);

  const subjects = new Map<unknown, Subject | undefined>();
  const subjectFor = (matches: typeof isCsv): Subject | undefined => {
    if (!subjects.has(matches)) subjects.set(matches, subjectOf(files, matches));
    return subjects.get(matches);
  };

  test.each([
    { what: 'the ClusterServiceVersion', matches: isCsv, patterns: requiredOfCsv },
    { what: 'a CustomResourceDefinition', matches: isDefinition, patterns: requiredOfDefinition },
    { what: 'annotations.yaml', matches: isMetadata, patterns: requiredOfMetadata },
  ])('without a required field of $what there is an error in its file', ({ matches, patterns }) => {
    const subject = subjectFor(matches);
    if (subject === undefined) return;
    for (const path of some(matching(subject.object, patterns))) {
      const { findings } = newFindings(subject, path, drop);
      const errors = findings.filter(({ severity, line = 0 }) => severity === 'error' && line > 0);
      expect(errors.length, formatPath(path)).toBeGreaterThan(0);
    }
  });

  test('a field of another type is reported with its place', () => {
    const subject = subjectFor(isCsv);
    if (subject === undefined) return;
    const unknown = subject.known.filter(({ id }) => id === 'CSV25');
    // Without its kind it is no ClusterServiceVersion.
    const isKnown = (path: FieldPath): boolean =>
      formatPath(path) !== 'kind' && !unknown.some(({ fieldPath = '' }) => formatPath(path).startsWith(fieldPath));
    for (const path of some(pathsIn(subject.object).filter(isKnown))) {
      const at = formatPath(path);
      const { text, findings } = newFindings(subject, path, retype);
      const placed = findings.filter((finding) => isRelated(finding, at) && isAtField(finding, text));
      expect(placed.length, at).toBeGreaterThan(0);
    }
  });

  test('a field of another name is reported', () => {
    const subject = subjectFor(isCsv);
    if (subject === undefined) return;
    const isStruct = (path: FieldPath): boolean =>
      typeof path.at(-1) === 'string' &&
      !/annotations|[lL]abels?\b|nodeSelector|x-descriptors|services/.test(path.join('.'));
    for (const path of some(pathsIn(subject.object).filter(isStruct))) {
      expect(newFindings(subject, path, rename).findings.length, formatPath(path)).toBeGreaterThan(0);
    }
  });
});
