import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What Endpoints and an EndpointSlice may be. */
export const cases: Area = manifestArea('Manifests of Endpoints and EndpointSlices', 'endpoints.yaml');
