import { errorMessage, isJsonObject, type JsonValue, TerminalError } from '../base/index.ts';
import {
  type Constraint,
  type ConstraintLimits,
  describeConstraint,
  isMet,
  parseConstraint,
  readApi,
  readPackage,
  type Surroundings,
} from './constraint.ts';
import type { Property } from './property.ts';
import { bundlePatterns } from './property-rule.ts';

/** Something that a bundle needs from elsewhere. A label is only reported, never met or missed. */
export type Dependency =
  | { readonly type: 'constraint'; readonly constraint: Constraint }
  | { readonly type: 'label'; readonly label: string };

/** Limits for dependencies that come from a bundle or an annotation. */
export interface DependencyLimits extends ConstraintLimits {
  readonly maxEntries: number;
}

/** What admission allows. @see docs/spec/admission.md#dependency-rules */
export const defaultDependencyLimits: DependencyLimits = { maxEntries: 256, maxDepth: 8 };
/** Those of all files of a bundle together, of which each was limited. */
const recordedLimits: DependencyLimits = { ...defaultDependencyLimits, maxEntries: Number.POSITIVE_INFINITY };

/** Dependencies that could be read, and what is wrong with the others, each with its place. */
export interface ReadDependencies {
  readonly dependencies: readonly Dependency[];
  /** `dependencies[2]: API Group is empty` */
  readonly problems: readonly string[];
}

type Reader = (value: JsonValue, limits: DependencyLimits) => Dependency;

function shapeProblem(type: string, hint = ''): TerminalError {
  return new TerminalError('InvalidDependency', `couldn't parse dependency of type ${type}${hint}`);
}

function readLabel(value: JsonValue): Dependency {
  const label = isJsonObject(value) ? (value['label'] ?? '') : '';
  if (label === '') throw new TerminalError('InvalidDependency', 'Label information is missing');
  if (typeof label !== 'string') throw shapeProblem('olm.label');
  return { type: 'label', label };
}

const asConstraint = (constraint: Constraint): Dependency => ({ type: 'constraint', constraint });

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['olm.package', (value) => asConstraint({ kind: 'package', ...readPackage(value, 'version') })],
  ['olm.gvk', (value) => asConstraint({ kind: 'gvk', api: readApi(value) })],
  ['olm.constraint', (value, limits) => asConstraint(parseConstraint(value, limits))],
  ['olm.label', readLabel],
]);

/** Properties that declare requirements of a bundle: their type as a property, and as a dependency. */
const requiredProperties: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['olm.package.required', (value) => asConstraint({ kind: 'package', ...readPackage(value, 'versionRange') })],
  ['olm.gvk.required', (value) => asConstraint({ kind: 'gvk', api: readApi(value) })],
  ['olm.constraint', (value, limits) => asConstraint(parseConstraint(value, limits))],
  ['olm.label.required', readLabel],
]);

/** What one property requires; undefined for a property that requires nothing. The properties of one bundle share `limits.patterns`.
 *  @throws TerminalError InvalidConstraint, MalformedConstraint, InvalidDependency */
export function readRequiredProperty(
  { type, value }: Property,
  limits: DependencyLimits = defaultDependencyLimits,
): Dependency | undefined {
  return requiredProperties.get(type)?.(value, limits);
}

function readEntry(entry: JsonValue, limits: DependencyLimits): Dependency {
  if (!isJsonObject(entry)) throw new TerminalError('InvalidDependency', 'expected an object with type and value');
  const { type = null, value = null } = entry;
  if (typeof type !== 'string' || type === '') throw new TerminalError('InvalidDependency', 'type must be set');
  const read = readers.get(type);
  if (read === undefined) {
    throw shapeProblem(
      type,
      `: expected one of ${[...readers.keys()].filter((key) => key !== 'olm.label').join(', ')}`,
    );
  }
  if (isJsonObject(value)) return read(value, limits);
  const beside = Object.keys(entry).filter((key) => key !== 'type' && key !== 'value');
  const hint = beside.length === 0 ? ': value must be a mapping' : `: ${beside.join(', ')} belong under value`;
  throw shapeProblem(type, hint);
}

function tooMany(what: string, count: number, { maxEntries }: DependencyLimits): ReadDependencies {
  return { dependencies: [], problems: [`${what}: ${count} entries, more than the limit of ${maxEntries}`] };
}

/** Reads a list as `metadata/dependencies.yaml` has it under `dependencies`. `what` names the list in problems.
 *  @see docs/spec/bundle-format.md#dependencies-yaml */
export function readDependencies(
  what: string,
  list: JsonValue,
  limits: DependencyLimits = defaultDependencyLimits,
): ReadDependencies {
  if (list === null) return { dependencies: [], problems: [] };
  if (!Array.isArray(list)) return { dependencies: [], problems: [`${what}: expected a list`] };
  if (list.length > limits.maxEntries) return tooMany(what, list.length, limits);
  const shared = { patterns: bundlePatterns(), ...limits };
  return collect(
    list,
    (entry) => readEntry(entry, shared),
    (index) => `${what}[${index}]`,
  );
}

/** Types of dependencies and of the properties that catalogs make of them. */
const requirementTypes: ReadonlyMap<string, string> = new Map([
  ['olm.package', 'olm.package.required'],
  ['olm.gvk', 'olm.gvk.required'],
  ['olm.label', 'olm.label.required'],
]);

/** The property that expresses in a catalog what an entry of `metadata/dependencies.yaml` expresses in a bundle; unknown types stay as they are.
 *  @see docs/spec/catalogs.md#bundle-metadata-files */
export function requirementOf(type: string, value: JsonValue): Property {
  const isPackage = type === 'olm.package' && isJsonObject(value);
  const { version, ...rest } = isPackage ? value : {};
  const renamed: JsonValue = isPackage ? { ...rest, versionRange: version ?? null } : value;
  return { type: requirementTypes.get(type) ?? type, value: renamed };
}

/** Reads what properties require; others are passed over, and do not count. */
export function readRequiredProperties(
  what: string,
  properties: readonly Property[],
  limits: DependencyLimits = recordedLimits,
): ReadDependencies {
  const required = properties.flatMap((property, index) => {
    const read = requiredProperties.get(property.type);
    return read === undefined ? [] : [{ property, index, read }];
  });
  if (required.length > limits.maxEntries) return tooMany(`${what}: dependencies`, required.length, limits);
  const shared = { patterns: bundlePatterns(), ...limits };
  return collect(
    required,
    ({ property, read }) => read(property.value, shared),
    (position) => `${what}[${required[position]?.index ?? position}]`,
  );
}

function collect<T>(
  items: readonly T[],
  read: (item: T) => Dependency,
  place: (index: number) => string,
): ReadDependencies {
  const dependencies: Dependency[] = [];
  const problems: string[] = [];
  for (const [index, item] of items.entries()) {
    try {
      dependencies.push(read(item));
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      problems.push(`${place(index)}: ${errorMessage(thrown)}`);
    }
  }
  return { dependencies, problems };
}

/** A description of an unmet dependency; the bundle's own message if it has one. A rule that fails counts as unmet. */
export function unmetDependencies(dependencies: readonly Dependency[], surroundings: Surroundings): readonly string[] {
  return dependencies.flatMap((dependency) => {
    if (dependency.type === 'label') return [];
    const { constraint } = dependency;
    try {
      if (isMet(constraint, surroundings)) return [];
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      return [errorMessage(thrown)];
    }
    const described = describeConstraint(constraint);
    return [constraint.failureMessage === undefined ? described : `${constraint.failureMessage} (${described})`];
  });
}
