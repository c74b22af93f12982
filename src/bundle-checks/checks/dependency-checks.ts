import { type FieldPath, isJsonObject, type JsonObject, type JsonValue, textAt } from '../../base/index.ts';
import { bundlePatterns, type DependencyLimits, readDependencies } from '../../constraints/index.ts';
import type { BundleFile, BundleUnderCheck } from '../bundle.ts';
import type { Check, Hit } from '../check.ts';
import { checksOfProblems, type ProblemRow } from '../problem-rows.ts';

const format = { suite: 'default', stage: 'format', severity: 'error' } as const;
/** Far beyond what bundles have; the depth is that of docs/spec/bundle-format.md#constraints. */
const limits = { maxEntries: 100_000, maxDepth: 32 };

const like =
  (pattern: RegExp) =>
  (problem: string): boolean =>
    pattern.test(problem);

/** The first that matches has the problem; the last takes what is left. */
const rules: readonly ProblemRow<string>[] = [
  {
    id: 'D1',
    title: 'group, version or kind of an `olm.gvk` is empty',
    whatToDo: 'Write value: {group, version, kind}.',
    matches: like(/^API (Group|Version|Kind) is empty/),
  },
  {
    id: 'D2',
    title: 'an `olm.package` names no package',
    whatToDo: 'Write value: {packageName, version}.',
    matches: like(/^Package name is empty/),
  },
  {
    id: 'D3',
    title: 'an `olm.package` has no version',
    whatToDo: 'Write a range of versions: ">=1.2.0 <2.0.0".',
    matches: like(/^Package version is empty/),
  },
  {
    id: 'D4',
    title: 'the version of an `olm.package` is not a range',
    whatToDo: 'Write a range such as ">=1.2.0 <2.0.0 || 3.1.x": no v in front, no commas.',
    matches: like(/^Invalid semver format version/),
  },
  {
    id: 'D5',
    title: 'an `olm.label` is empty',
    whatToDo: 'Write value: {label: …}.',
    matches: like(/^Label information is missing/),
  },
  {
    id: 'D7',
    title: 'the rule of a `cel` constraint is empty',
    whatToDo: 'Write cel: {rule: …}.',
    matches: like(/^The CEL expression is missing/),
  },
  {
    id: 'D8',
    title: 'the rule of a `cel` constraint does not compile, or does not evaluate to a boolean',
    whatToDo: 'Fix the expression; it has one variable, properties.',
    matches: like(/^Invalid CEL expression/),
  },
  {
    id: 'D9',
    title: 'a dependency is of another type, or its value has the wrong shape',
    whatToDo: 'Use olm.package, olm.gvk or olm.constraint, with the members under value.',
    matches: like(/^couldn't parse dependency|^type must be set|^expected an object with type/),
  },
  {
    id: 'D10',
    title: 'a constraint is empty, too large, too deep, or has unknown members',
    whatToDo: 'Write one of gvk, package, all, any, not and cel in each constraint.',
    matches: like(/./),
  },
];

function isList(value: JsonValue): value is JsonValue[] {
  return Array.isArray(value);
}

/** One problem an entry, without its place in the list. */
function problemsOf(entry: JsonValue, shared: DependencyLimits): readonly string[] {
  return readDependencies('', [entry], shared).problems.map((problem) => problem.replace(/^\[0\]: /, ''));
}

function* dependencyProblems({ dependencies }: BundleUnderCheck): Iterable<{ problem: string; hit: Hit }> {
  if (dependencies === undefined || !isList(dependencies.value)) return;
  const shared = { ...limits, patterns: bundlePatterns() };
  for (const [index, entry] of dependencies.value.entries()) {
    const place = { file: dependencies.file, path: ['dependencies', index] };
    for (const problem of problemsOf(entry, shared)) {
      yield { problem, hit: { message: `dependencies[${index}]: ${problem}`, place } };
    }
  }
}

function* wrongList(bundle: BundleUnderCheck, key: 'dependencies' | 'properties'): Iterable<Hit> {
  const part = bundle[key];
  if (part === undefined || isList(part.value) || part.value === null) return;
  yield { message: `${key}: expected a list`, place: { file: part.file, path: [key] } };
}

interface PropertyEntry {
  readonly index: number;
  readonly property: JsonObject;
  readonly file: BundleFile;
}

function propertyEntries({ properties }: BundleUnderCheck): readonly PropertyEntry[] {
  if (properties === undefined || !isList(properties.value)) return [];
  const { file, value } = properties;
  return value.map((property, index) => ({ index, file, property: isJsonObject(property) ? property : {} }));
}

function propertyHit({ index, file }: PropertyEntry, step: FieldPath, message: string): Hit {
  return { message: `properties[${index}]: ${message}`, place: { file, path: ['properties', index, ...step] } };
}

/** `metadata/dependencies.yaml` and `metadata/properties.yaml`. @see docs/spec/bundle-format.md#dependencies-yaml, docs/spec/bundle-format.md#constraints, docs/spec/bundle-format.md#properties-yaml-and-catalog-properties */
export const dependencyChecks: readonly Check[] = [
  ...checksOfProblems(rules, { ...format, find: dependencyProblems }),
  {
    ...format,
    id: 'D11',
    title: '`dependencies` is not a list',
    whatToDo: 'Write a list of {type, value}.',
    find: (bundle) => wrongList(bundle, 'dependencies'),
  },
  {
    ...format,
    id: 'P1',
    title: 'a property has no type',
    whatToDo: 'Write {type, value}.',
    *find(bundle) {
      yield* wrongList(bundle, 'properties');
      for (const entry of propertyEntries(bundle)) {
        if (textAt(entry.property, 'type') === '') yield propertyHit(entry, ['type'], 'type must be set');
      }
    },
  },
  {
    ...format,
    id: 'P2',
    title: 'a property has no value',
    whatToDo: 'Write {type, value}.',
    *find(bundle) {
      for (const entry of propertyEntries(bundle)) {
        if ((entry.property['value'] ?? null) === null) yield propertyHit(entry, ['value'], 'value must be set');
      }
    },
  },
  {
    ...format,
    id: 'P3',
    title: 'the properties contain what catalogs derive: `olm.package` or `olm.gvk`',
    whatToDo: 'Remove the property: it comes from the annotations, the CRDs and the ClusterServiceVersion.',
    *find(bundle) {
      for (const entry of propertyEntries(bundle)) {
        const type = textAt(entry.property, 'type');
        if (type !== 'olm.package' && type !== 'olm.gvk') continue;
        yield propertyHit(entry, ['type'], `"${type}" is made from the bundle; another one breaks it in catalogs`);
      }
    },
  },
];
