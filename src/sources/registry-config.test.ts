import { describe, expect, test } from 'vitest';
import { parseRegistryConfig } from './registry-config.ts';

describe('a registry configuration', () => {
  test('names mirrors for digests and for tags', () => {
    const text = `
imageDigestMirrors:
  - source: quay.io/team
    mirrors: [mirror.example.com/team, "[::1]:5000/team"]
    mirrorSourcePolicy: NeverContactSource
  - source: "*.example.org"
    mirrors: [mirror.example.com:5000]
imageTagMirrors:
  - source: index.docker.io/library
    mirrors: [mirror.example.com/hub]
    mirrorSourcePolicy: AllowContactingSource
`;
    expect(parseRegistryConfig('file', text)).toEqual([
      {
        appliesTo: 'digest',
        source: 'quay.io/team',
        mirrors: ['mirror.example.com/team', '[::1]:5000/team'],
        mayContactSource: false,
      },
      { appliesTo: 'digest', source: '*.example.org', mirrors: ['mirror.example.com:5000'], mayContactSource: true },
      { appliesTo: 'tag', source: 'docker.io/library', mirrors: ['mirror.example.com/hub'], mayContactSource: true },
    ]);
  });

  test('may be the objects of a cluster, several documents or a list', () => {
    const set = (kind: string, field: string): string =>
      `apiVersion: config.openshift.io/v1\nkind: ${kind}\nmetadata: {name: x}\nspec:\n  ${field}:\n  - source: quay.io\n    mirrors: [m.local]\nstatus: {}\n`;
    const objects = `${set('ImageDigestMirrorSet', 'imageDigestMirrors')}---\n${set('ImageTagMirrorSet', 'imageTagMirrors')}---\n`;
    const expected = ['digest', 'tag'].map((appliesTo) => ({
      appliesTo,
      source: 'quay.io',
      mirrors: ['m.local'],
      mayContactSource: true,
    }));
    expect(parseRegistryConfig('file', objects)).toEqual(expected);
    const item = {
      apiVersion: 'config.openshift.io/v1',
      kind: 'ImageDigestMirrorSet',
      metadata: { name: 'x' },
      spec: { imageDigestMirrors: [{ source: 'quay.io', mirrors: ['m.local'] }] },
    };
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [item] });
    expect(parseRegistryConfig('file', list)).toEqual([expected[0]]);
  });

  test('joins entries for one source; the stricter policy counts', () => {
    const text = `
imageDigestMirrors:
  - {source: quay.io, mirrors: [a.local, b.local]}
  - {source: quay.io, mirrors: [b.local, c.local], mirrorSourcePolicy: NeverContactSource}
`;
    expect(parseRegistryConfig('file', text)).toEqual([
      { appliesTo: 'digest', source: 'quay.io', mirrors: ['a.local', 'b.local', 'c.local'], mayContactSource: false },
    ]);
  });

  test('may be empty', () => {
    expect(parseRegistryConfig('file', '')).toEqual([]);
    expect(parseRegistryConfig('file', 'imageDigestMirrors:\n')).toEqual([]);
  });
});

const entry = (fields: string): string => `imageDigestMirrors:\n- {source: quay.io}\n- {${fields}}\n`;

test.each([
  { text: 'imageDigestMirrors: [', message: /^file: .*\(2:1\)|^file: .*line/ },
  { text: 'just words', message: /^file: expected an object, found "just words"$/ },
  {
    text: 'imageDigestMirors: []',
    message: /^file: unknown field "imageDigestMirors", expected imageDigestMirrors, imageTagMirrors$/,
  },
  { text: 'imageDigestMirrors: {}', message: /^file, imageDigestMirrors: expected a list, found {}$/ },
  { text: entry('mirrors: []'), message: /^file, imageDigestMirrors\[1\]\.source: expected .*; found nothing$/ },
  {
    text: entry('source: "https://quay.io"'),
    message: /\[1\]\.source: expected .* without scheme, tag or digest; found "https:\/\/quay\.io"$/,
  },
  { text: entry('source: "quay.io/app:v1"'), message: /\[1\]\.source: / },
  { text: entry('source: "quay.io/Team"'), message: /\[1\]\.source: / },
  { text: entry('source: "*"'), message: /\[1\]\.source: / },
  { text: entry('source: "*.example.com/team"'), message: /\[1\]\.source: / },
  {
    text: entry('source: quay.io, mirrors: ["*.example.com"]'),
    message: /\[1\]\.mirrors\[0\]: expected .*; found "\*\.example\.com"$/,
  },
  { text: entry('source: quay.io, mirrors: m.local'), message: /\[1\]\.mirrors: expected a list, found "m\.local"$/ },
  {
    text: entry('source: quay.io, mirror: [m.local]'),
    message: /\[1\]: unknown field "mirror", expected source, mirrors, mirrorSourcePolicy$/,
  },
  {
    text: entry('source: quay.io, mirrorSourcePolicy: Never'),
    message: /\[1\]\.mirrorSourcePolicy: expected AllowContactingSource or NeverContactSource, found "Never"$/,
  },
  {
    text: 'imageTagMirrors:\n---\napiVersion: v1\nkind: ConfigMap\n',
    message:
      /^file, document 2: expected ImageDigestMirrorSet or ImageTagMirrorSet of config\.openshift\.io\/v1, found "ConfigMap" of "v1"$/,
  },
  {
    text: 'apiVersion: config.openshift.io/v1\nkind: ImageTagMirrorSet\nspec: {imageDigestMirrors: []}\n',
    message: /^file, spec: unknown field "imageDigestMirrors", expected imageTagMirrors$/,
  },
])('a wrong file is refused with the place and what was expected: $message', ({ text, message }) => {
  expect(() => parseRegistryConfig('file', text)).toThrow(message);
});
