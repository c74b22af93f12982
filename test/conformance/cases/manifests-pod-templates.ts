import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What may be written of PodTemplates, alone and on the way from another. */
export const cases: Area = manifestArea('Manifests of PodTemplates', 'pod-templates.yaml');
