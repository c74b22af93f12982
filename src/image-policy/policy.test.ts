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
    { name: 'quay.io.evil.example.com/a', images: undefined },
    { name: 'eu.example.org:5000/app-one', images: ['*.example.org:5000/app-*'] },
    { name: 'eu.example.org:5000/x/app-one', images: undefined },
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

test('a policy says what it says', () => {
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
  { text: 'rules: [{images: ["x/y:v1@z"]}]', message: 'rules[0].images[0]: expected registry/repository' },
  { text: 'rules: [{images: ["x/y"], requireDigest: yes please}]', message: 'requireDigest: expected true or false' },
  {
    text: 'rules: [{images: ["x/y"], signedBy: [{key: abc}]}]',
    message: 'signedBy[0].key: expected a public key in PEM',
  },
  { text: 'rules: [{images: ["x/y"], signedBy: [{}]}]', message: 'signedBy[0]: expected key or keyless' },
  {
    text: 'rules: [{images: ["x/y"], signedBy: [{keyless: {issuer: a, subject: b, roots: c}}]}]',
    message: 'signedBy[0].keyless.roots: expected certificates of authorities in PEM',
  },
  { text: '- x', message: 'policy: expected a mapping' },
  { text: 'a: [', message: 'policy.yaml: ' },
])('a policy with a mistake is refused: $text', ({ text, message }) => {
  expect(() => parseImagePolicy('policy.yaml', text)).toThrow(message);
});

test('a private key in the place of a public one is refused, and not shown', () => {
  const { privateKey } = signingKey();
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const text = JSON.stringify({ rules: [{ images: ['x/y'], signedBy: [{ key: pem }] }] });
  expect(() => parseImagePolicy('policy.yaml', text)).toThrow(
    /expected a public key in PEM \(ECDSA, RSA or Ed25519\), found nothing$/,
  );
});
