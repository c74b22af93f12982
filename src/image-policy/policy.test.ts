import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signingKey } from '../../test/support/index.ts';
import { parseImagePolicy, ruleFor } from './index.ts';

const key = signingKey().publicPem;
const indented = key.trim().replaceAll('\n', '\n          ');

const policy = parseImagePolicy(
  'policy.yaml',
  `
default: deny
otherSources: deny
rules:
  - images: [registry.example.com/team/secret]
    deny: true
  - images: ["registry.example.com/team/*", "quay.io/**"]
    requireDigest: true
    signedBy:
      - key: |
          ${indented}
  - images: ["*.example.org:5000/app-*"]
`,
);

describe('the rule for an image', () => {
  test.each([
    { name: 'registry.example.com/team/app', images: ['registry.example.com/team/*', 'quay.io/**'] },
    { name: 'registry.example.com/team/secret', images: ['registry.example.com/team/secret'] },
    { name: 'registry.example.com/team/app/part', images: undefined },
    { name: 'registry.example.com/other', images: undefined },
    { name: 'quay.io/a/b/c', images: ['registry.example.com/team/*', 'quay.io/**'] },
    { name: 'quay.io.hostile.example.com/a', images: undefined },
    { name: 'eu.example.org:5000/app-one', images: ['*.example.org:5000/app-*'] },
    { name: 'eu.example.org:5000/x/app-one', images: undefined },
    { name: 'Registry.Example.com:443/team/secret', images: ['registry.example.com/team/secret'] },
  ])('$name', ({ name, images }) => {
    expect(ruleFor(policy, name)?.images).toEqual(images);
  });

  test('is none to speak of where all that is not named may be used', () => {
    const open = parseImagePolicy('policy.yaml', 'default: allow\n');
    expect(ruleFor(open, 'any.example.com/x')).toEqual({
      images: [],
      isDenied: false,
      needsDigest: false,
      signedBy: [],
    });
    expect(open.allowsOtherSources).toBe(true);
  });
});

test('a policy is parsed', () => {
  expect(policy).toMatchObject({
    isOpen: false,
    allowsOtherSources: false,
    rules: [{ isDenied: true }, { needsDigest: true, signedBy: [{ kind: 'key', key: `${key}` }] }, { signedBy: [] }],
  });
});

test.each([
  {
    text: 'rule: []',
    message: 'policy.yaml: policy: expected members among default, otherSources, rules, found "rule"',
  },
  { text: 'default: maybe', message: 'default: expected allow or deny, found "maybe"' },
  { text: 'rules: [{deny: true}]', message: 'rules[0].images: expected at least one image, found nothing' },
  { text: 'rules: [{images: ["x"]}]', message: 'rules[0].images[0]: expected registry/repository' },
  { text: 'rules: [{images: ["x.io/y:v1@z"]}]', message: 'rules[0].images[0]: expected registry/repository' },
  {
    text: 'rules: [{images: ["x.io/y"], requireDigest: yes please}]',
    message: 'requireDigest: expected true or false',
  },
  {
    text: 'rules: [{images: ["x.io/y"], signedBy: [{key: abc}]}]',
    message: 'signedBy[0].key: expected a public key in PEM (ECDSA, RSA or Ed25519), found something else',
  },
  { text: 'rules: [{images: ["x.io/y"], signedBy: [{}]}]', message: 'signedBy[0]: expected key or keyless' },
  {
    text: 'rules: [{images: ["x.io/y"], signedBy: [{keyless: {issuer: a, subject: b, roots: c}}]}]',
    message: 'signedBy[0].keyless.roots: expected certificates of authorities in PEM',
  },
  { text: '- x', message: 'policy: expected a mapping' },
  { text: 'a: [', message: 'policy.yaml: ' },
])('a policy with a mistake is refused: $text', ({ text, message }) => {
  expect(() => parseImagePolicy('policy.yaml', text)).toThrow(message);
});

test.each([
  { pattern: 'registry.example.com/team/app:v1', expected: 'without tag or digest' },
  { pattern: 'team/app', expected: 'a registry first, such as docker.io/library/nginx for nginx' },
  { pattern: 'docker.io/nginx', expected: 'docker.io/library/nginx for nginx' },
  { pattern: 'index.docker.io/library/nginx', expected: 'docker.io/library/nginx for nginx' },
  { pattern: 'quay.io/**/app', expected: '** only as the last part' },
  { pattern: 'quay.io/team**', expected: '** only as the last part' },
  { pattern: 'quay.io/Team/app', expected: 'a repository in lower case' },
])('a pattern that nothing could fit is refused: $pattern', ({ pattern, expected }) => {
  const text = JSON.stringify({ default: 'allow', rules: [{ images: [pattern], deny: true }] });
  expect(() => parseImagePolicy('policy.yaml', text)).toThrow(expected);
});

test('registries are the same in any letters, and with the port that is meant anyway', () => {
  const text = JSON.stringify({ rules: [{ images: ['Quay.io:443/team/*', '*/**'] }] });
  expect(parseImagePolicy('policy.yaml', text).rules[0]?.images).toEqual(['quay.io/team/*', '*/**']);
});

test.each(['', '[]'])('a list of signers that was left empty is refused, as everything would pass: %j', (signers) => {
  const text = `rules:\n- images: [quay.io/x]\n  signedBy: ${signers}\n`;
  expect(() => parseImagePolicy('policy.yaml', text)).toThrow('rules[0].signedBy: expected at least one signer');
});

test('a private key in the place of a public one is refused, and not shown', () => {
  const { privateKey } = signingKey();
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const text = JSON.stringify({ rules: [{ images: ['x.io/y'], signedBy: [{ key: pem }] }] });
  expect(() => parseImagePolicy('policy.yaml', text)).toThrow(
    /expected a public key in PEM \(ECDSA, RSA or Ed25519\), found a private key, which must stay with its owner$/,
  );
});

test('a public key of a type that signs nothing is named by its type', () => {
  const { publicKey } = generateKeyPairSync('x25519');
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const text = JSON.stringify({ rules: [{ images: ['x.io/y'], signedBy: [{ key }] }] });
  expect(() => parseImagePolicy('policy.yaml', text)).toThrow('found a key of the type "x25519"');
});
