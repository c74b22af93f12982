import { expect, test } from 'vitest';
import { checkBundleAnnotations } from './bundle-annotations.ts';

const prefix = 'operators.operatorframework.io.bundle.';
const registry = { provisionerClassName: 'core-rukpak-io-registry', isContent: false };
const plain = { provisionerClassName: 'core-rukpak-io-plain', isContent: false };

const good = {
  [`${prefix}mediatype.v1`]: 'registry+v1',
  [`${prefix}manifests.v1`]: 'manifests/',
  [`${prefix}metadata.v1`]: 'metadata/',
  [`${prefix}package.v1`]: 'tide-gauge',
  [`${prefix}channels.v1`]: 'stable,candidate',
  [`${prefix}channel.default.v1`]: 'stable',
};

test('good annotations, and those of others, get no word', () => {
  const annotations = { ...good, 'example.com/own': 'anything' };
  expect(checkBundleAnnotations(annotations, { ...registry, isContent: true })).toEqual({ problems: [], warnings: [] });
  expect(checkBundleAnnotations({}, registry)).toEqual({ problems: [], warnings: [] });
});

test.each([
  {
    name: 'BF-A4 a media type that does not fit the class',
    change: { 'mediatype.v1': 'plain+v0' },
    problem: `Expecting annotation "${prefix}mediatype.v1" to have value "registry+v1" instead of "plain+v0"`,
  },
  {
    name: 'a directory outside the bundle',
    change: { 'manifests.v1': 'a/../../b' },
    problem: `annotation "${prefix}manifests.v1": "a/../../b" is not a relative directory inside the bundle`,
  },
  {
    name: 'an absolute directory',
    change: { 'metadata.v1': '\\etc' },
    problem: `annotation "${prefix}metadata.v1": "\\etc" is not a relative directory inside the bundle`,
  },
  { name: 'an empty package', change: { 'package.v1': '' }, problem: 'package name is empty' },
  {
    name: 'a package that is no name',
    change: { 'package.v1': 'Tide_Gauge' },
    problem: `annotation "${prefix}package.v1": package name "Tide_Gauge" must be a DNS-1123 subdomain: lower case letters, digits, '-' and '.', at most 253 characters`,
  },
  {
    name: 'an empty channel',
    change: { 'channels.v1': 'stable,,candidate' },
    problem: `annotation "${prefix}channels.v1": channel 2 of "stable,,candidate" is empty`,
  },
  {
    name: 'a channel twice',
    change: { 'channels.v1': 'stable,stable' },
    problem: `annotation "${prefix}channels.v1": channel "stable" is named twice`,
  },
  {
    name: 'BF-A6 an empty default channel',
    change: { 'channel.default.v1': '' },
    problem: `Expecting annotation "${prefix}channel.default.v1" to have non-empty value`,
  },
])('refuses $name', ({ change, problem }) => {
  const changed = Object.fromEntries(Object.entries(change).map(([key, value]) => [prefix + key, value]));
  expect(checkBundleAnnotations({ ...good, ...changed }, registry).problems).toEqual([problem]);
});

test('BF-A7 the default channel of the package need not be a channel of the bundle', () => {
  const annotations = { ...good, [`${prefix}channel.default.v1`]: 'beta' };
  expect(checkBundleAnnotations(annotations, registry)).toEqual({ problems: [], warnings: [] });
});

test('BF-A5 empty channels are refused, and so is content without package or channels; several channels without a default are a warning', () => {
  const channels = { [`${prefix}channels.v1`]: '' };
  expect(checkBundleAnnotations(channels, plain).problems).toEqual([
    `Expecting annotation "${prefix}channels.v1" to have non-empty value`,
  ]);
  const content = { ...registry, isContent: true };
  expect(checkBundleAnnotations({}, content).problems).toEqual([
    `Missing annotation "${prefix}package.v1"`,
    `Missing annotation "${prefix}channels.v1"`,
  ]);
  expect(checkBundleAnnotations({}, { ...plain, isContent: true }).problems).toEqual([]);
  const undecided = { [`${prefix}channels.v1`]: 'a,b' };
  const text = `Missing annotation "${prefix}channel.default.v1": it selects the default of the 2 channels`;
  expect(checkBundleAnnotations(undecided, registry)).toEqual({ problems: [], warnings: [text] });
  expect(checkBundleAnnotations({ [`${prefix}channels.v1`]: 'a' }, registry).problems).toEqual([]);
});

test('unknown keys with the prefix are warned of, and so is a directory that is not read', () => {
  const annotations = { [`${prefix}colour.v1`]: 'red', [`${prefix}manifests.v1`]: 'deploy/' };
  expect(checkBundleAnnotations(annotations, plain)).toEqual({
    problems: [],
    warnings: [
      `unknown bundle annotation "${prefix}colour.v1"`,
      `annotation "${prefix}manifests.v1" is "deploy/", but the directory "manifests/" is read`,
    ],
  });
});

test('ten thousand channels and a name of a hundred thousand characters are validated, and shown in part', () => {
  const annotations = {
    [`${prefix}channels.v1`]: Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(','),
    [`${prefix}channel.default.v1`]: 'c9999',
    [`${prefix}package.v1`]: 'a-'.repeat(50_000),
  };
  const { problems } = checkBundleAnnotations(annotations, plain);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.length).toBeLessThan(500);
});
