import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What PersistentVolumes and claims to them may be. */
export const cases: Area = manifestArea('Manifests of volumes', 'volumes.yaml');
