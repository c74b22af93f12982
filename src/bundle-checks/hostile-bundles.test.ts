import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testBundle, tideFiles, validateBundle } from '../../test/support/checked-bundle.ts';
import { checks } from './table.ts';

const suites = [...new Set(checks.map(({ suite }) => suite))];
const example = JSON.stringify([{ apiVersion: 'tide.example/v1', kind: 'Gauge', spec: { station: 'Cuxhaven' } }]);
const files: Readonly<Record<string, string>> = {
  ...tideFiles,
  'manifests/tide-gauge.clusterserviceversion.yaml': tideFiles[
    'manifests/tide-gauge.clusterserviceversion.yaml'
  ].replace('spec:\n', `  annotations:\n    alm-examples: '${example}'\nspec:\n`),
  'manifests/service.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: gauge}\nspec: {ports: [{port: 443}]}\n',
  'metadata/dependencies.yaml':
    'dependencies:\n- type: olm.package\n  value: {packageName: core, version: ">=1.0.0"}\n',
  'metadata/properties.yaml': 'properties:\n- {type: olm.maxOpenShiftVersion, value: "4.20"}\n',
};
const paths = Object.keys(files);

const mutation = fc.record({
  path: fc.constantFrom(...paths),
  at: fc.nat(),
  removed: fc.nat(12),
  inserted: fc.oneof(
    fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('\n', '- ', ': ', '{}', '[]', 'null', '1.10', '"', '&a ', '*a', 'true', '---\n')
      .map((text) => Buffer.from(text)),
  ),
});

test('whatever happens to the bytes of a bundle, checks give findings and nothing else', () => {
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
      const changed: Record<string, Buffer> = Object.fromEntries(
        paths.map((path) => [path, Buffer.from(files[path] ?? '')]),
      );
      for (const { path, at, removed, inserted } of mutations) {
        const before = changed[path] ?? Buffer.alloc(0);
        const start = at % (before.length + 1);
        changed[path] = Buffer.concat([before.subarray(0, start), inserted, before.subarray(start + removed)]);
      }
      const findings = validateBundle(testBundle(changed), { select: suites });
      expect(findings.every(({ message, whatToDo }) => message !== '' && whatToDo !== '')).toBe(true);
    }),
    { numRuns: 150 },
  );
}, 60_000);
