import { expect, test } from 'vitest';
import { configsLabel } from '../../../src/catalog/index.ts';
import { startRegistry } from '../../support/index.ts';
import { runMeasured } from '../memory-child.ts';

/** `npm run test:olm` has the long form: 100,000 bundles. */
const packageCount = process.env['LONGSHORE_TEST_OLM'] === 'all' ? 2000 : 200;
const bundlesAPackage = 50;
const limitMebibytes = 512;
const longTimeoutMs = 480_000;

function* packageDocuments(name: string): Generator<object> {
  yield { schema: 'olm.package', name, defaultChannel: 'stable' };
  const nameOf = (index: number): string => `${name}.v1.${index}.0`;
  const indexes = Array.from({ length: bundlesAPackage }, (_, index) => index);
  const entries = indexes.map((index) => ({
    name: nameOf(index),
    ...(index === 0 ? {} : { replaces: nameOf(index - 1) }),
  }));
  yield { schema: 'olm.channel', package: name, name: 'stable', entries };
  for (const index of indexes) {
    yield {
      schema: 'olm.bundle',
      package: name,
      name: nameOf(index),
      image: `registry.example.com/bundles/${name}:v1.${index}.0`,
      properties: [
        { type: 'olm.package', value: { packageName: name, version: `1.${index}.0` } },
        { type: 'olm.gvk', value: { group: `${name}.example.com`, kind: 'Thing', version: 'v1' } },
      ],
    };
  }
}

test(
  `a catalog of ${packageCount * bundlesAPackage} bundles is unpacked and resolved within the memory of a process`,
  async () => {
    await using registry = await startRegistry();
    const names = Array.from({ length: packageCount }, (_, index) => `operator-${String(index).padStart(4, '0')}`);
    const files = Object.fromEntries(
      names.map((name) => {
        const lines = Array.from(packageDocuments(name), (document) => `${JSON.stringify(document)}\n`);
        return [`configs/${name}/catalog.json`, lines.join('')];
      }),
    );
    registry.putImage('catalogs/large:v1', [{ files }], { [configsLabel]: '/configs' });
    const task = { ref: `${registry.host}/catalogs/large:v1`, packageNames: names.slice(-20) };
    const report = await runMeasured('olm/large-catalog-child.ts', task, limitMebibytes);
    expect(report.outcomes[0]).toBe('resolution: selected');
    expect(report.outcomes[1]).toContain(`${names.at(-1) ?? ''}.v1.49.0`);
    const { peakMebibytes } = 'missing' in report.group ? report : report.group;
    expect(peakMebibytes).toBeLessThan(limitMebibytes);
  },
  longTimeoutMs,
);
