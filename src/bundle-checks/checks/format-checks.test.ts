import { expect, test } from 'vitest';
import { findingsOf, type TestFiles, tideFiles } from '../../../test/support/checked-bundle.ts';

const key = (name: string): string => `operators.operatorframework.io.bundle.${name}.v1`;
const file = 'metadata/annotations.yaml';

/** Lines of the annotations file that begin with another key, and others instead. */
function annotated(name: string, line?: string): TestFiles {
  const lines = tideFiles[file].split('\n').filter((one) => !one.startsWith(`  ${key(name)}:`));
  return { ...tideFiles, [file]: [...lines, ...(line === undefined ? [] : [`  ${key(name)}: ${line}`])].join('\n') };
}

/** Errors by F and L ids. */
function errors(files: TestFiles): readonly string[] {
  return findingsOf(files).filter((line) => / error [FL]\d/.test(line));
}

test('BF-A1 a complete minimal bundle has no errors, and the warnings of every minimal bundle', () => {
  const found = findingsOf(tideFiles).map((line) => line.split(' ').slice(1, 3).join(' '));
  expect(found).toEqual(['warning CSV3', 'warning CSV16']);
});

test('BF-A2 there is no metadata/', () => {
  expect(errors({ ...tideFiles, [file]: undefined })).toEqual([' error F2 Unable to locate metadata directory']);
});

test('there is no manifests/', () => {
  expect(errors({ [file]: tideFiles[file] })).toEqual([' error F1 Unable to locate manifests directory']);
});

test('BF-A3 annotations without the package key', () => {
  expect(errors(annotated('package'))).toEqual([`${file}:1:1 error F4 Missing annotation "${key('package')}"`]);
});

test('BF-A4 mediatype plain, CSV present', () => {
  const text = `Expecting annotation "${key('mediatype')}" to have value "registry+v1" instead of "plain"`;
  expect(errors(annotated('mediatype', 'plain'))).toEqual([`${file}:8:3 error F5 ${text}`]);
});

test('BF-A5 channels are empty', () => {
  const text = `Expecting annotation "${key('channels')}" to have non-empty value`;
  expect(errors(annotated('channels', '""'))).toEqual([`${file}:8:3 error F6 ${text}`]);
});

test('BF-A6 the default channel key is present, and empty', () => {
  const text = `Expecting annotation "${key('channel.default')}" to have non-empty value`;
  expect(errors(annotated('channel.default', '""'))).toEqual([`${file}:8:3 error F7 ${text}`]);
});

test('BF-A7 the default channel of the package need not be a channel of the bundle', () => {
  expect(findingsOf(annotated('channel.default', 'beta'))).toEqual(findingsOf(annotated('channel.default', 'stable')));
});

test('BF-A8 with Chart.yaml in manifests the media type is helm, and content is skipped', () => {
  const found = findingsOf({
    ...annotated('mediatype', 'helm'),
    'manifests/Chart.yaml': 'name: tide\nversion: 1.0.0\n',
    'manifests/values.yaml': 'a: [',
  });
  expect(found).toEqual([]);
});

test('BF-A9 manifests/ is empty', () => {
  const found = findingsOf({ [file]: tideFiles[file] }, [{ path: 'manifests', kind: 'directory' }]);
  expect(found).toContain('manifests error F11 The directory manifests contains no yaml files');
});

const unquoted = (value: string): readonly string[] =>
  findingsOf(annotated('package', value)).filter((line) => line.includes(' F12 '));

test('BF-A10 an annotation is true without quotes', () => {
  const text = `annotation "${key('package')}": expected a string, found`;
  expect(unquoted('true')).toEqual([`${file}:8:3 warning F12 ${text} true`]);
  expect(unquoted('[tide]')).toEqual([expect.stringContaining(`error F12 ${text}`)]);
  expect(errors(annotated('package', 'true'))).toEqual([]);
});

test('values that other types than strings are shown as they are written', () => {
  expect(unquoted('1.10')[0]).toContain('expected a string, found 1.10');
});

test('the annotation of a directory that is not used is a warning', () => {
  const found = findingsOf(annotated('manifests', 'deploy/'));
  expect(found.filter((line) => line.includes(' F8 '))).toEqual([
    `${file}:8:3 warning F8 Expecting annotation "${key('manifests')}" to have value "manifests/" instead of "deploy/"`,
  ]);
});

test('the package is named, and empty', () => {
  expect(errors(annotated('package', '""'))).toEqual([`${file}:8:3 error F10 package name is empty`]);
});

test('the layout before this one is recognised', () => {
  const found = errors({
    ...tideFiles,
    'manifests/tide.package.yaml': 'packageName: tide\nchannels: [{name: stable, currentCSV: tide.v1.0.0}]\n',
  });
  expect(found[0]).toMatch(/tide.package.yaml:1:1 error F14 found a package manifest of "tide"/);
});
