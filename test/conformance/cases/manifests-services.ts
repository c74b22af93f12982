import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What a Service may be, alone and on the way from another. */
export const cases: Area = manifestArea('Manifests of Services', 'services.yaml');
