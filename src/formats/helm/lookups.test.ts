import { expect, test } from 'vitest';
import { withLookups } from './lookups.ts';

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, stringData: { password: 'p' } };
const terms = { objects: [secret], namespace: 'shop' };

function rewritten(text: string): string {
  const [file] = withLookups([{ path: 'templates/a.yaml', content: Buffer.from(text) }], terms);
  return Buffer.from(file?.content ?? '').toString('utf8');
}

test.each([
  {
    text: '{{ lookup "v1" "Secret" .Release.Namespace "db" }}',
    result: '{{ fromJson (include "longshore.lookup" (list "v1" "Secret" .Release.Namespace "db")) }}',
  },
  {
    text: '{{- $s := (lookup "v1" "Secret" $ns (include "x.name" (dict "a" ")"))).data | default dict -}}',
    result:
      '{{- $s := (fromJson (include "longshore.lookup" (list "v1" "Secret" $ns (include "x.name" (dict "a" ")"))))).data | default dict -}}',
  },
  {
    text: '{{ with lookup `v1` "Secret" (printf "%s" .ns) $.Values.name }}{{ end }}',
    result:
      '{{ with fromJson (include "longshore.lookup" (list `v1` "Secret" (printf "%s" .ns) $.Values.name)) }}{{ end }}',
  },
])('the call of $text finds objects of the release', ({ text, result }) => {
  expect(rewritten(text)).toBe(result);
});

test.each([
  'lookup "v1" "Secret" "a" "b"',
  '{{ "lookup v1" }}',
  '{{ .Values.lookup }}',
  '{{ "b" | lookup "v1" "Secret" "a" }}',
  '{{/* lookup "v1" "Secret" "a" "b" */}}',
  '{{ include "lookup" . }}',
])('%s stays as it is', (text) => {
  expect(rewritten(text)).toBe(text);
});

test.each([
  { what: 'calls', text: '{{ lookup "v1" "Secret" "a" "b" }}'.repeat(1001) },
  { what: 'calls in one action', text: `{{${' lookup'.repeat(200_000)} }}` },
  { what: 'calls within calls', text: `{{${' lookup ('.repeat(1500)} }}` },
])('a chart with too many $what is refused, before all is read for each', ({ text }) => {
  expect(() => rewritten(text)).toThrow(/^templates\/a\.yaml: expected at most 1000 calls of lookup in a chart/);
});

test('actions without an end are read once', () => {
  const text = `{{ lookup "v1" "Secret" "a" "b" }}${'{'.repeat(1_000_000)}`;
  expect(rewritten(text)).toHaveLength(text.length + 38);
});
