import type { Check } from './check.ts';
import { bundleLevelChecks } from './checks/bundle-checks.ts';
import { catalogWordChecks } from './checks/catalog-words.ts';
import { clusterObjectChecks } from './checks/cluster-objects.ts';
import { communityChecks } from './checks/community.ts';
import { contentChecks } from './checks/content-checks.ts';
import { csvChecks } from './checks/csv-checks.ts';
import { definitionChecks } from './checks/definition-checks.ts';
import { dependencyChecks } from './checks/dependency-checks.ts';
import { deprecatedApiChecks } from './checks/deprecated-apis.ts';
import { exampleChecks } from './checks/example-checks.ts';
import { fieldChecks } from './checks/field-checks.ts';
import { formatChecks } from './checks/format-checks.ts';
import { goodPracticeChecks } from './checks/good-practices.ts';
import { installationChecks } from './checks/installation-checks.ts';
import { loadingChecks } from './checks/loading-checks.ts';
import { multiarchChecks } from './checks/multiarch.ts';
import { operatorhubChecks } from './checks/operatorhub.ts';

/** All checks that there are; findings come in the order of the stages. */
export const checks: readonly Check[] = [
  ...formatChecks,
  ...dependencyChecks,
  ...loadingChecks,
  ...csvChecks,
  ...exampleChecks,
  ...fieldChecks,
  ...definitionChecks,
  ...bundleLevelChecks,
  ...installationChecks,
  ...contentChecks,
  ...operatorhubChecks,
  ...catalogWordChecks,
  ...deprecatedApiChecks,
  ...goodPracticeChecks,
  ...clusterObjectChecks,
  ...communityChecks,
  ...multiarchChecks,
];
