import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What a HorizontalPodAutoscaler may be, in both versions. */
export const cases: Area = manifestArea('Manifests of HorizontalPodAutoscalers', 'autoscaling.yaml');
