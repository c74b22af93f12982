import type { Check } from './check.ts';
import { formatChecks } from './checks/format-checks.ts';
import { loadingChecks } from './checks/loading-checks.ts';

/** All checks that there are, in the order of their stages. */
export const checks: readonly Check[] = [...formatChecks, ...loadingChecks];
