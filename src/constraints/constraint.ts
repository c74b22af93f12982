import { errorMessage, isJsonObject, type JsonObject, type JsonValue, TerminalError } from '../base/index.ts';
import type { GroupVersionKind, Property } from './property.ts';
import { bundlePatterns, compilePropertyRule, type PropertyRule, type RulePatterns } from './property-rule.ts';
import { parseVersionRange, type VersionRange } from './version-range.ts';

/** A condition on what is installed. */
export type Constraint = { readonly failureMessage?: string } & (
  | { readonly kind: 'gvk'; readonly api: GroupVersionKind }
  | { readonly kind: 'package'; readonly packageName: string; readonly range: VersionRange }
  | { readonly kind: 'all' | 'any' | 'not'; readonly constraints: readonly Constraint[] }
  | { readonly kind: 'cel'; readonly rule: PropertyRule }
);

/** How far a tree of constraints may go. */
export interface ConstraintLimits {
  readonly maxDepth: number;
  /** Shared by all constraints of a bundle; without it, a constraint has one of its own. */
  readonly patterns?: RulePatterns;
}

const maxConstraintBytes = 131_072;
const kinds = ['gvk', 'package', 'all', 'any', 'not', 'cel'] as const;
type Kind = (typeof kinds)[number];

function refuse(text: string): never {
  throw new TerminalError('InvalidConstraint', text);
}

/** What is wrong is the shape, before anything is known of its meaning. */
function refuseShape(text: string): never {
  throw new TerminalError('MalformedConstraint', text);
}

function membersOf(value: JsonValue | undefined, allowed: readonly string[]): JsonObject {
  if (!isJsonObject(value)) return refuse('expected an object');
  for (const key of Object.keys(value)) {
    if (allowed.includes(key)) continue;
    refuseShape(`json: unknown field "${key}"${key === 'none' ? ': it is called "not"' : ''}`);
  }
  return value;
}

function text(members: JsonObject, key: string): string {
  const value = members[key] ?? '';
  return typeof value === 'string' ? value : refuse(`${key}: expected a string`);
}

/** A group, version and kind, none of them empty.
 *  @throws TerminalError InvalidConstraint, MalformedConstraint */
export function readApi(value: JsonValue | undefined): GroupVersionKind {
  const members = membersOf(value, ['group', 'version', 'kind']);
  const api = { group: text(members, 'group'), version: text(members, 'version'), kind: text(members, 'kind') };
  if (api.group === '') refuse('API Group is empty');
  if (api.version === '') refuse('API Version is empty');
  if (api.kind === '') refuse('API Kind is empty');
  return api;
}

/** A package and a range of its versions; the range is called `rangeKey`.
 *  @throws TerminalError InvalidConstraint, MalformedConstraint */
export function readPackage(
  value: JsonValue | undefined,
  rangeKey: 'version' | 'versionRange',
): { readonly packageName: string; readonly range: VersionRange } {
  const members = membersOf(value, ['packageName', rangeKey]);
  const packageName = text(members, 'packageName');
  const range = text(members, rangeKey);
  if (packageName === '') refuse('Package name is empty');
  if (range === '') refuse('Package version is empty');
  try {
    return { packageName, range: parseVersionRange(range) };
  } catch (thrown) {
    return refuse(`Invalid semver format version: ${JSON.stringify(range)}: ${errorMessage(thrown)}`);
  }
}

function readRule(value: JsonValue | undefined, patterns: RulePatterns | undefined): PropertyRule {
  const members = membersOf(value, ['rule']);
  const rule = text(members, 'rule');
  if (rule === '') return refuse('The CEL expression is missing');
  try {
    return compilePropertyRule(rule, patterns);
  } catch (thrown) {
    return refuse(`Invalid CEL expression: ${errorMessage(thrown)}`);
  }
}

type Reader = (value: JsonValue | undefined, depth: number) => Constraint;

function readerOf(kind: Kind, limits: ConstraintLimits): Reader {
  switch (kind) {
    case 'gvk':
      return (value) => ({ kind, api: readApi(value) });
    case 'package':
      return (value) => ({ kind, ...readPackage(value, 'versionRange') });
    case 'cel':
      return (value) => ({ kind, rule: readRule(value, limits.patterns) });
    default:
      return (value, depth) => {
        const { constraints } = membersOf(value, ['constraints']);
        if (!Array.isArray(constraints)) return refuse(`${kind}: expected a list "constraints"`);
        return { kind, constraints: constraints.map((one) => readNode(one, depth + 1, limits)) };
      };
  }
}

function readNode(value: JsonValue | undefined, depth: number, limits: ConstraintLimits): Constraint {
  if (depth > limits.maxDepth) return refuse(`nested deeper than ${limits.maxDepth} levels`);
  const members = membersOf(value, ['failureMessage', ...kinds]);
  const present = kinds.filter((kind) => (members[kind] ?? null) !== null);
  const [kind] = present;
  if (kind === undefined) return refuse('constraint is empty');
  if (present.length > 1) return refuse(`expected one of ${kinds.join(', ')}, found ${present.join(' and ')}`);
  const failureMessage = text(members, 'failureMessage');
  const constraint = readerOf(kind, limits)(members[kind], depth);
  return failureMessage === '' ? constraint : { ...constraint, failureMessage };
}

/** Reads the value of an `olm.constraint`.
 *  @throws TerminalError InvalidConstraint, MalformedConstraint (unknown members, too large), with the texts of docs/spec/bundle-format.md#dependencies-yaml
 *  and docs/spec/bundle-format.md#constraints */
export function parseConstraint(value: JsonValue, limits: ConstraintLimits = { maxDepth: 32 }): Constraint {
  if (Buffer.byteLength(JSON.stringify(value)) > maxConstraintBytes) {
    return refuseShape(`olm.constraint value is greater than max constraint size ${maxConstraintBytes} bytes`);
  }
  return readNode(value, 1, { patterns: bundlePatterns(), ...limits });
}

/** What constraints are evaluated against. */
export interface Surroundings {
  readonly hasPackage: (packageName: string, range: VersionRange) => boolean;
  readonly hasApi: (api: GroupVersionKind) => boolean;
  /** The properties of each bundle that counts. */
  readonly bundles: readonly (readonly Property[])[];
  /** A rule that fails is not true, and no error. */
  readonly isLenient?: boolean;
  /** Called with the cost of evaluating a rule; an error that it throws ends the evaluation. */
  readonly spend?: (cost: number) => void;
  /** What the next rule may cost, where that is less than what any rule may. */
  readonly maxCost?: () => number;
}

function isTrueOf(rule: PropertyRule, properties: readonly Property[], surroundings: Surroundings): boolean {
  try {
    return rule.isTrueOf(properties, surroundings);
  } catch (thrown) {
    if (surroundings.isLenient === true && thrown instanceof TerminalError) return false;
    throw thrown;
  }
}

/** Whether the constraint holds. An empty `all` does, an empty `any` does not, and `not` holds when none of its own do.
 *  @throws TerminalError RuleFailed */
export function isMet(constraint: Constraint, surroundings: Surroundings): boolean {
  switch (constraint.kind) {
    case 'gvk':
      return surroundings.hasApi(constraint.api);
    case 'package':
      return surroundings.hasPackage(constraint.packageName, constraint.range);
    case 'cel':
      return surroundings.bundles.some((properties) => isTrueOf(constraint.rule, properties, surroundings));
    case 'all':
      return constraint.constraints.every((one) => isMet(one, surroundings));
    case 'any':
      return constraint.constraints.some((one) => isMet(one, surroundings));
    case 'not':
      return !constraint.constraints.some((one) => isMet(one, surroundings));
    default:
      return constraint satisfies never;
  }
}

/** In words: `package tide-core >=1.0.0`, `any of (…, …)`. */
export function describeConstraint(constraint: Constraint): string {
  switch (constraint.kind) {
    case 'gvk': {
      const { group, version, kind } = constraint.api;
      return `API ${kind}.${version}.${group}`;
    }
    case 'package':
      return `package ${constraint.packageName} ${constraint.range.text}`;
    case 'cel':
      return `a bundle for which ${constraint.rule.text}`;
    default: {
      const word = { all: 'all', any: 'any', not: 'none' }[constraint.kind];
      return `${word} of (${constraint.constraints.map(describeConstraint).join(', ')})`;
    }
  }
}
