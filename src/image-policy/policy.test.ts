import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signingKey } from '../../test/support/index.ts';
import { addressRuleFor, parseImagePolicy, ruleFor } from './index.ts';

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

  test('does not exist where the default is allow', () => {
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

describe('the rule for an address', () => {
  const addresses = ['https://Charts.example.com/stable/*', 'http://127.0.0.1:8080/**'];
  const rules = [{ addresses: ['https://charts.example.com/stable/secret-*'], deny: true }, { addresses }];
  const [closed, open] = ['deny', 'allow'].map((otherSources) =>
    parseImagePolicy('policy.yaml', JSON.stringify({ otherSources, rules })),
  );

  test.each([
    'https://charts.example.com/stable/app-1.tgz',
    'https://CHARTS.example.com.:443/stable/app-1.tgz?token=x#y',
    'https://charts.example.com/st%61ble/app-1.tgz',
    'https://charts.example.com//stable/./x/..//app-1.tgz',
    'https://charts.example.com/other%2F..%2Fstable%2fapp-1.tgz',
    'https://user@charts.example.com/stable/app',
    'http://127.0.0.1:8080/a/b/c',
  ])('%s is that of its server and path', (address) => {
    if (closed === undefined || open === undefined) throw new Error('no policy');
    expect(addressRuleFor(closed, address)?.addresses).toHaveLength(2);
    expect(addressRuleFor(open, address)?.addresses).toHaveLength(2);
  });

  test('the first rule holds', () => {
    expect(closed && addressRuleFor(closed, 'https://charts.example.com/stable/secret-1')?.isDenied).toBe(true);
  });

  test.each([
    'https://charts.example.com/stable/a/b',
    'https://charts.example.com/stable/..%2fother',
    'https://charts.example.com:8443/stable/app',
    'http://charts.example.com/stable/app',
    'https://charts.example.com.hostile.example.com/stable/app',
    'https://charts.example.com@hostile.example.com/stable/app',
  ])('%s has none', (address) => {
    expect(closed && addressRuleFor(closed, address)).toBeUndefined();
    expect(open && addressRuleFor(open, address)).toEqual({ addresses: [], isDenied: false, signedBy: [] });
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
  { text: 'rules: [{images: ["x.io/y"], signedBy: [{}]}]', message: 'signedBy[0]: expected key, keyless or openpgp' },
  {
    text: 'rules: [{images: ["x.io/y"], signedBy: [{keyless: {issuer: a, subject: b, roots: c}}]}]',
    message: 'signedBy[0].keyless.roots: expected certificates of authorities in PEM',
  },
  {
    text: 'rules: [{images: ["x.io/y"], signedBy: [{openpgp: abc}]}]',
    message: 'signedBy[0].openpgp: expected OpenPGP public keys, as of: gpg --export --armor KEY, found something else',
  },
  {
    text: 'rules: [{images: ["x.io/y"], signedBy: [{openpgp: abc, key: abc}]}]',
    message: 'signedBy[0]: expected key, keyless or openpgp, found "openpgp, key"',
  },
  {
    text: 'rules: [{images: ["x.io/y"], addresses: ["https://x.io/*"]}]',
    message: 'rules[0]: expected members among addresses, deny, signedBy, found "images"',
  },
  { text: 'rules: [{addresses: []}]', message: 'rules[0].addresses: expected at least one address' },
  ...['x.io/y', 'https://x.io', 'https://u:p@x.io/y', 'https://x.io/y?z', 'ftp://x.io/y'].map((address) => ({
    text: `rules: [{addresses: ["${address}"]}]`,
    message: 'rules[0].addresses[0]: expected https://host/path without query',
  })),
  { text: 'rules: [{addresses: ["https://x.io/**/y"]}]', message: '** only as the last part' },
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
])('a pattern that can never match is refused: $pattern', ({ pattern, expected }) => {
  const text = JSON.stringify({ default: 'allow', rules: [{ images: [pattern], deny: true }] });
  expect(() => parseImagePolicy('policy.yaml', text)).toThrow(expected);
});

test('registries are case-insensitive, and the default port may be omitted', () => {
  const text = JSON.stringify({ rules: [{ images: ['Quay.io:443/team/*', '*/**'] }] });
  expect(parseImagePolicy('policy.yaml', text).rules[0]?.images).toEqual(['quay.io/team/*', '*/**']);
});

test.each(['', '[]'])('an empty list of signers is refused, as it would accept everything: %j', (signers) => {
  const text = `rules:\n- images: [quay.io/x]\n  signedBy: ${signers}\n`;
  expect(() => parseImagePolicy('policy.yaml', text)).toThrow('rules[0].signedBy: expected at least one signer');
});

test('a private key in place of a public one is refused, and not shown', () => {
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
