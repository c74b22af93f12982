import { expect, test } from 'vitest';
import { parseReleaseMetadata } from './release-metadata.ts';

const read = (value: object): { metadata: ReturnType<typeof parseReleaseMetadata>; warnings: string[] } => {
  const warnings: string[] = [];
  const document = { kind: 'cincinnati-metadata-v0', version: '4.22.1', ...value };
  return { metadata: parseReleaseMetadata(JSON.stringify(document), (warning) => warnings.push(warning)), warnings };
};

test('metadata of a release is read, its channels sorted, each once', () => {
  const values = {
    url: 'https://example.com/errata',
    'release.openshift.io/architecture': 'multi',
    'io.openshift.upgrades.graph.release.channels': 'stable-4.22,candidate-4.22,stable-4.22',
  };
  const { metadata, warnings } = read({ previous: ['4.22.0'], metadata: values });
  expect(warnings).toEqual([]);
  expect(metadata).toEqual({
    version: '4.22.1',
    previous: ['4.22.0'],
    next: [],
    url: 'https://example.com/errata',
    architecture: 'multi',
    channels: ['candidate-4.22', 'stable-4.22'],
  });
});

test.each([
  [{ kind: 'other' }, 'unrecognized Cincinnati metadata kind "other"'],
  [{ version: '' }, 'missing required Cincinnati metadata version'],
  [{ version: '4.22' }, 'invalid Cincinnati metadata version "4.22": No Major.Minor.Patch elements found'],
])('CV-68: %j is refused', (value, message) => {
  expect(() => read(value)).toThrow(message);
});

test('values of another form are warnings, and count as absent', () => {
  const { metadata, warnings } = read({ metadata: { url: 7, 'release.openshift.io/architecture': 'arm64' } });
  expect(metadata).toMatchObject({ url: '', architecture: '' });
  expect(warnings).toEqual([
    'release-metadata: url: expected a URL, found 7',
    'release-metadata: release.openshift.io/architecture: expected multi, found "arm64"',
  ]);
});
