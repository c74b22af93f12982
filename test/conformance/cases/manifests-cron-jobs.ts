import { manifestArea } from '../manifests.ts';
import type { Area } from '../suite.ts';

/** What may be written of CronJobs, alone and on the way from another. */
export const cases: Area = manifestArea('Manifests of CronJobs', 'cron-jobs.yaml');
