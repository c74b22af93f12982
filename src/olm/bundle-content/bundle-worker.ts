/** The inside of the thread that reads the bundle of one image. Started by `bundle-thread.ts`. */
import { serveJobs } from '../../base/index.ts';
import type { BundleJobs } from './bundle-job.ts';
import { unpackBundle } from './unpack-bundle.ts';

serveJobs<BundleJobs>({ unpack: (job, { signal }) => unpackBundle(job, signal) });
