import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What an admission policy and its binding may be. */
export const cases: Area = manifestArea('Manifests of admission policies', 'admission-policies.yaml');
