import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What a ConfigMap, a Secret, a ServiceAccount and a Namespace may be. */
export const cases: Area = manifestArea('Manifests of configuration kinds', 'configuration.yaml');
