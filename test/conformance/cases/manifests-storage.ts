import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What StorageClasses and the kinds around storage drivers may be. */
export const cases: Area = manifestArea('Manifests of storage kinds', 'storage.yaml');
