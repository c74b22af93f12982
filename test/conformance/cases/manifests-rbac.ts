import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What roles and their bindings may be. */
export const cases: Area = manifestArea('Manifests of RBAC kinds', 'rbac.yaml');
