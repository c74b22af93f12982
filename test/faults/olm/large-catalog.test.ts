/** @module-tag long */
import { expect, test } from 'vitest';
import { configsLabel } from '../../../src/catalog/index.ts';
import { startRegistry } from '../../support/index.ts';
import { runMeasured } from '../memory-child.ts';
import { largeCatalog, newestVersion } from './large-catalog.ts';

/** `npm run test:olm` has the long form. */
const bundleCount = process.env['LONGSHORE_TEST_OLM'] === 'all' ? 100_000 : 10_000;
const limitMebibytes = 512;
const longTimeoutMs = 480_000;

test(
  `a catalog of ${bundleCount} bundles is unpacked and resolved within the memory of a process`,
  async () => {
    await using registry = await startRegistry();
    const { files, packageNames } = largeCatalog(bundleCount);
    registry.putImage('catalogs/large:v1', [{ files }], { [configsLabel]: '/configs' });
    const task = { ref: `${registry.host}/catalogs/large:v1`, packageNames: packageNames.slice(-20) };
    const report = await runMeasured('olm/large-catalog-child.ts', task, limitMebibytes);
    expect(report.outcomes[0]).toBe('resolution: selected');
    expect(report.outcomes[1]).toContain(`${packageNames.at(-1) ?? ''}.v${newestVersion}`);
    const { peakMebibytes } = 'missing' in report.group ? report : report.group;
    expect(peakMebibytes).toBeLessThan(limitMebibytes);
  },
  longTimeoutMs,
);
