import { expect, test } from 'vitest';
import { acmeCsv, registryFiles } from '../../../test/support/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { configProblems } from './config.ts';
import { explainBundle } from './explain.ts';
import { readRegistryBundle } from './read.ts';
import type { RenderedObject } from './registry-bundle.ts';
import { renderBundle } from './render.ts';

const installNamespace = 'acme-system';
const kilobyte = 1000;

/** Read, rendered and explained. */
function install(manifests: readonly (JsonObject | string)[]): readonly RenderedObject[] {
  const bundle = readRegistryBundle(registryFiles(manifests));
  const objects = renderBundle(bundle, { installNamespace });
  expect(explainBundle(bundle, objects).packageName).not.toBe('');
  return objects;
}

const long = 'n'.repeat(10 * kilobyte);
const deep = (levels: number): string => `${'{"properties": {"a": '.repeat(levels)}{}${'}}'.repeat(levels)}`;
const crd = (schema: string): string =>
  `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "x"}, "spec": {"versions": [{"schema": {"openAPIV3Schema": ${schema}}}]}}`;
const laughs = Array.from({ length: 9 }, (_, index) => {
  const items = Array.from({ length: 10 }, () => (index === 0 ? 'lol' : `*a${index - 1}`));
  return `a${index}: &a${index} [${items.join(', ')}]`;
}).join('\n');

const refused: readonly {
  readonly name: string;
  readonly manifest: string | JsonObject;
  readonly message: string | RegExp;
}[] = [
  {
    name: 'aliases of aliases',
    manifest: `apiVersion: v1\nkind: ConfigMap\n${laughs}\n`,
    message: /^error parsing objects in "manifests\/1\.yaml": error parsing manifests\/1\.yaml: aliases expand to more/,
  },
  {
    name: 'a value that holds itself',
    manifest: 'apiVersion: v1\nkind: ConfigMap\ndata: &a {a: *a}\n',
    message: /manifests\/1\.yaml: aliases expand to more than \d+ nodes$/,
  },
  {
    name: 'anchors in anchors, 10,000 deep',
    manifest: `kind: ConfigMap\na: ${Array.from({ length: 10 * kilobyte }, (_, index) => `&a${index} [`).join('')}`,
    message:
      /manifests\/1\.yaml: error converting YAML to JSON: yaml: line 2: nesting exceeded maxDepth \(257\) \(manifests\/1\.yaml:2:\d+\)$/,
  },
  {
    name: 'a schema with 10,000 levels',
    manifest: crd(deep(10 * kilobyte)),
    message: /manifests\/1\.yaml: nested deeper than 256 levels$/,
  },
  {
    name: 'a webhook with a name of 10,000 characters',
    manifest: acmeCsv({
      webhookdefinitions: [
        {
          type: 'ValidatingAdmissionWebhook',
          generateName: long,
          deploymentName: 'acme-widget-controller-manager',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    }),
    message: 'must be no more than 253 characters',
  },
  {
    name: 'an object of an unknown kind with a long name',
    manifest: { apiVersion: 'v1', kind: 'Pod', metadata: { name: long } },
    message: 'unsupported resource "n',
  },
];

test.each(refused)('$name: refused in words', ({ manifest, message }) => {
  const isCsv = typeof manifest === 'object' && manifest['kind'] === 'ClusterServiceVersion';
  expect(() => install(isCsv ? [manifest] : [acmeCsv(), manifest])).toThrow(message);
});

test('a ClusterServiceVersion with a name of 10,000 characters gives roles with names that a cluster takes', () => {
  const csv = acmeCsv();
  const objects = install([{ ...csv, metadata: { name: long } }]);
  expect(objects.filter(({ metadata }) => (metadata.name ?? '').length > 253)).toEqual([]);
});

test('100,000 rules of one account become one role, and are explained', { tags: 'long' }, () => {
  const rules = Array.from({ length: 100 * kilobyte }, (_, index) => ({
    apiGroups: [`g${index}.example`],
    resources: ['things'],
    verbs: ['get'],
  }));
  const csv = acmeCsv();
  const spec = csv['spec'] as { install: { spec: JsonObject } };
  spec.install.spec['clusterPermissions'] = [{ serviceAccountName: 'acme-widget-controller', rules }];
  const role = install([csv]).find(({ kind, rules: found }) => {
    return kind === 'ClusterRole' && Array.isArray(found) && found.length === rules.length;
  });
  expect(role?.metadata.name).toMatch(/^acme-widget\.v/);
});

test('100,000 documents of one file are 100,000 objects', { tags: 'long' }, () => {
  const documents = Array.from(
    { length: 100 * kilobyte },
    (_, index) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${index}}\n`,
  );
  const objects = install([acmeCsv(), documents.join('')]);
  expect(objects.filter(({ kind }) => kind === 'ConfigMap')).toHaveLength(documents.length);
});

test('a pattern that would take a regular expression forever is passed on without being tried', () => {
  const schema = JSON.stringify({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
  const [object] = install([acmeCsv(), crd(schema)]).filter(({ kind }) => kind === 'CustomResourceDefinition');
  expect(JSON.stringify(object)).toContain('^(a+)+$');
});

test.each([
  { name: 'a namespace of a million characters', config: { watchNamespace: `${'a'.repeat(1e6)}!` } },
  { name: '10,000 unknown members', config: Object.fromEntries(Array.from({ length: 1e4 }, (_, key) => [key, 1])) },
  { name: 'a list where an object is expected', config: { deploymentConfig: { affinity: [] } } },
  { name: 'an entry without a name', config: { deploymentConfig: { env: Array.from({ length: 1e3 }, () => ({})) } } },
])('a configuration with $name is refused, line by line', ({ config }) => {
  expect(configProblems(config as JsonObject).length).toBeGreaterThan(0);
});
