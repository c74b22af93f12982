import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What the remaining built-in kinds may be. */
export const cases: Area = manifestArea('Manifests of other kinds', 'cluster-kinds.yaml');
