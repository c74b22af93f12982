import { errorMessage, isJsonObject, TerminalError } from '../../base/index.ts';
import {
  bundlePatterns,
  type Constraint,
  type Dependency,
  describeConstraint,
  formatPredicate,
  type GroupVersionKind,
  isInRange,
  isMet,
  type Property,
  readRequiredProperty,
  type Version,
} from '../../constraints/index.ts';

/** What a bundle asks of some one bundle that is chosen with it. */
export interface Requirement {
  /** In the words of conflicts: `with label: l`. Equal texts ask the same. */
  readonly text: string;
  /** For people, their author's own words first. */
  readonly description: string;
  readonly dependency: Dependency;
  /** What it takes at most to compare it with a bundle, without its rules. */
  readonly steps: number;
}

/** What of a bundle matters to others. */
export interface Facts {
  readonly packageName: string | undefined;
  readonly version: Version;
  readonly properties: readonly Property[];
  /** By `apiKey`. */
  readonly apis: ReadonlyMap<string, GroupVersionKind>;
  readonly labels: ReadonlySet<string>;
  readonly requirements: readonly Requirement[];
  /** Why its requirements are unknown. */
  readonly problem: string | undefined;
  /** By `olm.deprecated`: never to be chosen. */
  readonly isDeprecated: boolean;
}

/** The bundle of the facts. */
export interface Described {
  readonly packageName?: string | undefined;
  readonly version: Version;
  readonly properties: readonly Property[];
}

const requirementTypes: ReadonlySet<string> = new Set([
  'olm.package.required',
  'olm.gvk.required',
  'olm.constraint',
  'olm.label.required',
]);

/** Whether the property asks for something. */
export function isRequirement({ type }: Property): boolean {
  return requirementTypes.has(type);
}

const limits = { maxEntries: 4_096, maxDepth: 32 };

/** Distinguishes APIs. */
function apiKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

function providedApi({ type, value }: Property): GroupVersionKind | undefined {
  if (type !== 'olm.gvk' || !isJsonObject(value)) return undefined;
  const { group, version, kind } = value;
  if (typeof group !== 'string' || typeof version !== 'string' || typeof kind !== 'string') return undefined;
  return { group, version, kind };
}

function describe(constraint: Constraint): string {
  const described = describeConstraint(constraint);
  return constraint.failureMessage === undefined ? described : `${constraint.failureMessage} (${described})`;
}

/** Of the text of a range, which takes one step. */
const rangeCharacters = 16;

function stepsOf(constraint: Constraint): number {
  if ('constraints' in constraint) return constraint.constraints.reduce((sum, one) => sum + stepsOf(one), 1);
  return constraint.kind === 'package' ? 1 + Math.floor(constraint.range.text.length / rangeCharacters) : 1;
}

function requirementOf(dependency: Dependency): Requirement {
  if (dependency.type === 'label') {
    return {
      dependency,
      steps: 1,
      text: `with label: ${dependency.label}`,
      description: `a bundle with label ${dependency.label}`,
    };
  }
  const { constraint } = dependency;
  return {
    dependency,
    steps: stepsOf(constraint),
    text: formatPredicate(constraint),
    description: describe(constraint),
  };
}

const wrappings: Readonly<Record<string, string>> = {
  MalformedConstraint: 'parse olm.constraint: ',
  InvalidConstraint: 'convert olm.constraint to resolver predicate: ',
};

function problemOf({ type }: Property, thrown: TerminalError): string {
  const wrapping = type === 'olm.constraint' ? (wrappings[thrown.reason] ?? '') : `${type}: `;
  return `${wrapping}${errorMessage(thrown)}`;
}

interface ReadRequirements {
  readonly requirements: readonly Requirement[];
  readonly problem: string | undefined;
}

function readRequirements(properties: readonly Property[]): ReadRequirements {
  const requirements = new Map<string, Requirement>();
  const shared = { ...limits, patterns: bundlePatterns() };
  for (const property of properties) {
    try {
      const dependency = readRequiredProperty(property, shared);
      if (dependency === undefined) continue;
      const requirement = requirementOf(dependency);
      requirements.set(requirement.text, requirement);
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      return { requirements: [], problem: problemOf(property, thrown) };
    }
  }
  if (requirements.size > limits.maxEntries) {
    return {
      requirements: [],
      problem: `${requirements.size} requirements, more than the limit of ${limits.maxEntries}`,
    };
  }
  return { requirements: [...requirements.values()], problem: undefined };
}

function labelOf({ type, value }: Property): string | undefined {
  if (type !== 'olm.label' || !isJsonObject(value)) return undefined;
  const { label } = value;
  return typeof label === 'string' ? label : undefined;
}

/** Reads the properties of a bundle. */
export function factsOf({ packageName, version, properties }: Described): Facts {
  const apis = properties.flatMap((property): readonly [string, GroupVersionKind][] => {
    const api = providedApi(property);
    return api === undefined ? [] : [[apiKey(api), api]];
  });
  return {
    packageName,
    version,
    properties,
    apis: new Map(apis),
    labels: new Set(properties.map(labelOf).filter((label) => label !== undefined)),
    ...readRequirements(properties),
    isDeprecated: properties.some(({ type }) => type === 'olm.deprecated'),
  };
}

/** Whether the bundle alone is all that is asked. A rule that fails is not true; `spend` gets the cost of rules. */
export function isMetBy({ dependency }: Requirement, facts: Facts, spend?: (cost: number) => void): boolean {
  if (dependency.type === 'label') return facts.labels.has(dependency.label);
  return isMet(dependency.constraint, {
    hasApi: (api) => facts.apis.has(apiKey(api)),
    hasPackage: (packageName, range) => facts.packageName === packageName && isInRange(facts.version, range),
    bundles: [facts.properties],
    isLenient: true,
    ...(spend === undefined ? {} : { spend }),
  });
}

/** Where to look: the packages some bundle of which may meet the requirement; undefined: any may. */
export function packagesFor(
  { dependency }: Requirement,
  packagesProviding: (api: GroupVersionKind) => readonly string[],
): readonly string[] | undefined {
  if (dependency.type === 'label') return undefined;
  const search = (constraint: Constraint): readonly string[] | undefined => {
    switch (constraint.kind) {
      case 'gvk':
        return packagesProviding(constraint.api);
      case 'package':
        return [constraint.packageName];
      case 'all': {
        const known = constraint.constraints.map(search).filter((names) => names !== undefined);
        return known.length === 0 ? undefined : known.reduce((a, b) => (a.length <= b.length ? a : b));
      }
      case 'any': {
        const each = constraint.constraints.map(search);
        const known = each.filter((names) => names !== undefined);
        return known.length < each.length ? undefined : [...new Set(known.flat())];
      }
      default:
        return undefined;
    }
  };
  return search(dependency.constraint);
}
