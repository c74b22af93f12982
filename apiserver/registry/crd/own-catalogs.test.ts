import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type JsonObject, parseYaml } from '../../../src/base/index.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import { resourceTypesOfCrd } from './custom-types.ts';

const file = new URL('../../../crds/olm.operatorframework.io_clustercatalogs.yaml', import.meta.url);
const [type] = resourceTypesOfCrd(parseYaml('crd', readFileSync(file, 'utf8')) as unknown as KubeObject);
const hex = '0123456789abcdef'.repeat(4);

function catalog(spec: JsonObject): KubeObject {
  return { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', metadata: { name: 'x' }, spec };
}

function refusal(spec: JsonObject): string[] {
  const object = catalog(spec);
  type?.strategy.applyDefaults(object);
  return (type?.strategy.validate(object, undefined, undefined) ?? []).map(({ message }) => message ?? '');
}

const ofImage = (image: JsonObject): string[] => refusal({ source: { type: 'Image', image } });
const ofRef = (ref: string): string[] => ofImage({ ref });
const errorWith = (text: string): string[] => [expect.stringContaining(text) as unknown as string];

test.each([
  'quay.io/ns/cat:v1',
  'quay.io/cat:latest',
  'localhost:5000/a/b_c/d__e/f-g.h:V1_x.y-z',
  `Quay.IO:443/cat@sha256:${hex}`,
  `quay.io/cat:v1@sha256:${hex}`,
  `quay.io/cat@sha512+x:${hex}`,
  `quay.io/cat:${'t'.repeat(127)}`,
])('a ClusterCatalog may come from %s', (ref) => {
  expect(ofRef(ref)).toEqual([]);
});

const domain = `must start with a valid domain. valid domains must be alphanumeric characters (lowercase and uppercase) separated by the "." character.`;
const name = `a valid name is required. valid names must contain lowercase alphanumeric characters separated only by the ".", "_", "__", "-" characters.`;

test.each([
  { ref: '-quay.io/cat:v1', text: domain },
  { ref: 'quay..io/cat:v1', text: domain },
  { ref: 'cat:v1', text: name },
  { ref: 'quay.io/Cat:v1', text: name },
  { ref: 'quay.io/a..b:v1', text: name },
  { ref: 'quay.io/cat', text: 'must end with a digest or a tag' },
  { ref: 'localhost:5000/cat', text: 'must end with a digest or a tag' },
  { ref: `quay.io/cat:${'t'.repeat(128)}`, text: 'tag is invalid. the tag must not be more than 127 characters' },
  { ref: 'quay.io/cat:.v1', text: 'tag is invalid. valid tags must begin with a word character' },
  { ref: `quay.io/cat@-sha:${hex}`, text: 'digest algorithm is not valid. valid algorithms must start with' },
  { ref: 'quay.io/cat@sha256:abc', text: 'digest is not valid. the encoded string must be at least 32 characters' },
  {
    ref: `quay.io/cat@sha256:${hex}z`,
    text: 'digest is not valid. the encoded string must only contain hex characters',
  },
])('a ClusterCatalog does not come from $ref', ({ ref, text }) => {
  expect(ofRef(ref)).toEqual(errorWith(text));
});

test('CR-C25 a digest is not polled', () => {
  const text = 'cannot specify pollIntervalMinutes while using digest-based image';
  expect(ofImage({ ref: `quay.io/cat@sha256:${hex}`, pollIntervalMinutes: 5 })).toEqual(errorWith(text));
  expect(ofImage({ ref: 'quay.io/cat:v1', pollIntervalMinutes: 5 })).toEqual([]);
  expect(ofImage({ ref: 'quay.io/cat:v1', pollIntervalMinutes: 0 })).toEqual(errorWith('greater than or equal to 1'));
});

test('a ClusterCatalog has all required fields, and unknown ones are refused', () => {
  expect(refusal({ source: { type: 'Image' } })).toEqual(errorWith('image is required when source type is Image'));
  const among = (text: string): unknown => expect.arrayContaining(errorWith(text));
  expect(refusal({ source: { type: 'Git' } })).toEqual(among('Unsupported value: "Git"'));
  expect(ofRef(`quay.io/cat:${'t'.repeat(1000)}`)).toEqual(among('may not be more than 1000'));
  const source = { type: 'Image', image: { ref: 'quay.io/cat:v1' } };
  expect(refusal({ source, availabilityMode: 'Sometimes' })).toEqual(among('Unsupported value: "Sometimes"'));
  expect(refusal({ source, priority: 2 ** 31 })).not.toEqual([]);
});

test('a ClusterCatalog is available, with priority 0, by default', () => {
  const object = catalog({ source: { type: 'Image', image: { ref: 'quay.io/cat:v1' } } });
  type?.strategy.applyDefaults(object);
  expect(object['spec']).toMatchObject({ availabilityMode: 'Available', priority: 0 });
});
