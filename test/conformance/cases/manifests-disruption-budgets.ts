import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What may be written of PodDisruptionBudgets, alone and on the way from another. */
export const cases: Area = manifestArea('Manifests of PodDisruptionBudgets', 'disruption-budgets.yaml');
