import { expect, test } from 'vitest';
import { renderTemplate } from './template.ts';

const values = {
  releaseImage: 'example.com/release@sha256:1',
  clusterProfile: 'self-managed-high-availability',
  images: new Map([
    ['cli', 'example.com/cli@sha256:2'],
    ['kube-rbac-proxy', 'example.com/proxy@sha256:3'],
  ]),
};

test.each([
  ['a: {{.ReleaseImage}}', 'a: example.com/release@sha256:1'],
  ['a: {{ .ClusterProfile }}', 'a: self-managed-high-availability'],
  ['a: {{.Images.cli}}', 'a: example.com/cli@sha256:2'],
  ['a: {{index .Images "kube-rbac-proxy"}}', 'a: example.com/proxy@sha256:3'],
  ['a: {{.Images.missing}}', 'a: <no value>'],
  ['a: {{index .Images `missing`}}', 'a: '],
  [String.raw`a: {{ "{{ $labels.name }} \"quoted\" \u00e9" }} b`, 'a: {{ $labels.name }} "quoted" é b'],
  ['a: {{ `{{ with "x" }}` }}', 'a: {{ with "x" }}'],
  ['a {{- /* nothing }} */ -}} b', 'ab'],
  ['no action, } and }}', 'no action, } and }}'],
])('%s is rendered', (text, expected) => {
  expect(renderTemplate(text, values)).toBe(expected);
});

test.each([
  '{{ .Unknown }}',
  '{{ range .Images }}{{ end }}',
  '{{ .ReleaseImage | quote }}',
  '{{ .ReleaseImage',
  '{{ "open }}',
  '{{ /* open }}',
  `{{${'/**/'.repeat(1000)}`,
])('%.40s is refused', (text) => {
  expect(() => renderTemplate(text, values)).toThrow('template action {{');
});
