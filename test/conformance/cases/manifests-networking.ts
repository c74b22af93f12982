import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What an Ingress, an IngressClass, a NetworkPolicy, a ServiceCIDR and an IPAddress may be. */
export const cases: Area = manifestArea('Manifests of networking kinds', 'networking.yaml');
