import { expect, test } from 'vitest';
import { findingsOf, type TestFiles, tideCsv, tideFiles } from '../../../test/support/checked-bundle.ts';

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';

function errors(files: TestFiles): readonly string[] {
  return findingsOf(files).filter((line) => / error [FL]\d/.test(line));
}

test('BF-L1 two CSV files', () => {
  const found = errors({ ...tideFiles, 'manifests/zweite.yaml': tideCsv });
  expect(found).toEqual([
    `manifests/zweite.yaml:2:1 error L4 invalid bundle: contains multiple CSVs: "tide-gauge.v0.4.0" here, "tide-gauge.v0.4.0" in ${csvFile}`,
  ]);
});

test('BF-L2 a hidden file', () => {
  const found = errors({ ...tideFiles, 'manifests/.hidden': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n' });
  expect(found).toEqual(['manifests/.hidden error L3 bundle manifests dir has hidden file: manifests/.hidden']);
});

test('BF-L3 a directory in manifests/', () => {
  const found = findingsOf(tideFiles, [{ path: 'manifests/sub', kind: 'directory' }]);
  expect(found).toContain('manifests/sub error L2 bundle manifests dir contains directory: manifests/sub');
});

test('BF-L4 a CSV with a tab as indentation', () => {
  const found = errors({ ...tideFiles, [csvFile]: tideCsv.replace('  displayName', '\tdisplayName') });
  expect(found[0]).toMatch(
    /^manifests\/tide-gauge.clusterserviceversion.yaml:6:\d+ error L5 unable to decode object: yaml: line 6: /,
  );
  expect(found).toHaveLength(1);
});

test('BF-L5 a CSV as second document is found', () => {
  const found = findingsOf({
    ...tideFiles,
    [csvFile]: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\n${tideCsv}`,
  });
  expect(found.filter((line) => line.includes(' error '))).toEqual([]);
});

test('every file that cannot be parsed is reported with its place', () => {
  const found = errors({
    ...tideFiles,
    'manifests/a.yaml': 'a: [',
    'manifests/b.yaml': '- x\n',
    'manifests/c.json': '{"a": ]',
  });
  expect(found.map((line) => line.replace(/ unable.*/, ''))).toEqual([
    'manifests/a.yaml:2:1 error L5',
    'manifests/b.yaml:1:1 error L5',
    'manifests/c.json:1:7 error L5',
  ]);
});

test('a file that belongs to metadata/ gets a hint, with its place', () => {
  const found = errors({ ...tideFiles, 'manifests/dependencies.yaml': 'dependencies: []\n' });
  expect(found).toEqual([
    `manifests/dependencies.yaml:1:1 error L5 unable to decode object: Object 'Kind' is missing in '{"dependencies":[]}'`,
  ]);
});

test('a duplicate key is a warning with its place, and the last value counts', () => {
  const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n';
  const files = { ...tideFiles, 'manifests/a.yaml': `${map}data: {a: 1}\n` };
  const found = findingsOf(files).filter((line) => line.startsWith('manifests/a.yaml'));
  expect(found[0]).toMatch(/^manifests\/a.yaml:5:\d+ warning L12 yaml: line 5: duplicated mapping key/);
  expect(found[1]).toMatch(/error T\d+ ConfigMap "a": .*data/);
  expect(errors({ ...tideFiles, 'manifests/a.yaml': `${map}data: {a: b}\n` })).toEqual([]);
});

test('a Helm template is recognised', () => {
  const [found = ''] = errors({ ...tideFiles, 'manifests/a.yaml': 'kind: ConfigMap\ndata: {{ .Values.data }}\n' });
  expect(found).toMatch(/^manifests\/a.yaml:2:7 error L5 .*invalid map key: .*looks like a Helm template/);
});

test('an invalid annotations file is reported with its place', () => {
  const found = errors({ ...tideFiles, 'metadata/annotations.yaml': 'annotations:\n\ta: b\n' });
  expect(found.at(-1)).toMatch(
    /^metadata\/annotations.yaml:2:\d+ error L8 unable to load the annotations file metadata\/annotations.yaml: yaml: line 2: /,
  );
});
