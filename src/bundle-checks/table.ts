import type { Check } from './check.ts';
import { catalogWordChecks } from './checks/catalog-words.ts';
import { clusterObjectChecks } from './checks/cluster-objects.ts';
import { communityChecks } from './checks/community.ts';
import { deprecatedApiChecks } from './checks/deprecated-apis.ts';
import { formatChecks } from './checks/format-checks.ts';
import { goodPracticeChecks } from './checks/good-practices.ts';
import { loadingChecks } from './checks/loading-checks.ts';
import { operatorhubChecks } from './checks/operatorhub.ts';

/** All checks that there are, in the order of their stages. */
export const checks: readonly Check[] = [
  ...formatChecks,
  ...loadingChecks,
  ...operatorhubChecks,
  ...catalogWordChecks,
  ...deprecatedApiChecks,
  ...goodPracticeChecks,
  ...clusterObjectChecks,
  ...communityChecks,
];
