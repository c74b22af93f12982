/** What bundles declare about themselves and require of others: versions, ranges, properties, constraints, dependencies. Pure; knows no Kubernetes,
 *  and every text from outside has limits.
 *  @imports src/cel, src/schema, src/base */
export {
  type Constraint,
  type ConstraintLimits,
  describeConstraint,
  isMet,
  type Surroundings,
} from './constraint.ts';
export {
  type Dependency,
  type DependencyLimits,
  defaultDependencyLimits,
  type ReadDependencies,
  readDependencies,
  readRequiredProperties,
  readRequiredProperty,
  requirementOf,
  unmetDependencies,
} from './dependency.ts';
export { formatPredicate } from './predicate-text.ts';
export type { GroupVersionKind, Property } from './property.ts';
export { bundlePatterns } from './property-rule.ts';
export {
  compareVersions,
  formatVersion,
  parsePrereleasePart,
  parseTolerantVersion,
  parseVersion,
  type Version,
} from './version.ts';
export { isChosen, parseVersionChoice, type VersionChoice } from './version-choice.ts';
export { isInRange, parseVersionRange, type VersionRange } from './version-range.ts';
