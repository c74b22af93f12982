import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What a webhook configuration may be. */
export const cases: Area = manifestArea('Manifests of webhook configurations', 'webhook-configurations.yaml');
