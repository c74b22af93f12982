import { expect, test } from 'vitest';
import { parseImageReference } from './image-reference.ts';

const hex = 'a'.repeat(64);

test.each([
  ['nginx', { registry: 'docker.io', repository: 'library/nginx', tag: 'latest' }],
  ['team/app:1.2', { registry: 'docker.io', repository: 'team/app', tag: '1.2' }],
  ['index.docker.io/nginx:1', { registry: 'docker.io', repository: 'library/nginx', tag: '1' }],
  ['localhost/app', { registry: 'localhost', repository: 'app', tag: 'latest' }],
  ['localhost:5000/a/b__c:v1', { registry: 'localhost:5000', repository: 'a/b__c', tag: 'v1' }],
  ['[::1]:5000/app:v1', { registry: '[::1]:5000', repository: 'app', tag: 'v1' }],
  [`quay.io/x/y@sha256:${hex}`, { registry: 'quay.io', repository: 'x/y', digest: `sha256:${hex}` }],
  [`quay.io/x/y:t@sha256:${hex}`, { registry: 'quay.io', repository: 'x/y', tag: 't', digest: `sha256:${hex}` }],
])('%s is read as container tools read it', (text, expected) => {
  expect(parseImageReference(text)).toEqual(expected);
});

test.each([
  ['', 'it is empty'],
  ['quay.io/UPPER', 'must be lower-case'],
  ['quay.io/', 'cannot be a part'],
  ['quay.io//a', 'cannot be a part'],
  ['https://quay.io/a', 'is not a registry host'],
  ['quay.io/a:', '"" is not a tag'],
  ['quay.io/a:t/../b', 'cannot be a part'],
  ['quay.io/a@sha256:abc', 'a sha256 digest has 64'],
  ['quay.io/a@md5:abc', 'must begin with sha256: or sha512:'],
  [`quay.io/a@sha256:${hex}@sha256:${hex}`, 'digest'],
  ['a b', 'cannot be a part'],
  ['x'.repeat(5_000), 'more than 4096'],
  ['x'.repeat(300), 'more than 255'],
])('%s is refused with a reason', (text, why) => {
  expect(() => parseImageReference(text)).toThrow(why);
});
