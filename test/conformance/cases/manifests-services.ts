import { manifestArea } from '../manifests.ts';

export const cases = manifestArea('Manifests of Services', 'services.yaml');
