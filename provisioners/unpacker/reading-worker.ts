/** The inside of a thread that reads large bundles. Started by `large-bundles.ts`. */
import { serveJobs } from '../../src/base/index.ts';
import { Staging } from '../../src/content/index.ts';
import type { ReadingJobs } from './large-bundles.ts';
import { readBundle } from './read-bundle.ts';

serveJobs<ReadingJobs>({
  async read({ staged, provisionerClassName }) {
    await using staging = await Staging.reopen(staged);
    return await readBundle(staging, provisionerClassName);
  },
});
