import { describe, expect, test } from 'vitest';
import { acmeCsv, corpusBundle, expectedRenderings } from '../../test/support/index.ts';
import type { OperatorGroup } from '../api/index.ts';
import { isJsonObject, type JsonObject, objectAt, objectsAt, parseJson, textAt } from '../base/index.ts';
import { readRegistryBundle } from '../formats/index.ts';
import {
  type BundleContent,
  inlineBytesFor,
  orderSteps,
  permissionsHash,
  planSteps,
  readStepManifest,
  unpackTermsOf,
} from './index.ts';

const catalog = { name: 'shop', namespace: 'olm' };
const crd: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.acme.example' },
};
const secret: JsonObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' } };
const content: BundleContent = {
  name: 'acme-widget.v1.2.3',
  csv: acmeCsv({ replaces: 'old' }),
  objects: [secret, crd],
};

function manifestOf(step: { readonly resource: { readonly manifest?: string } } | undefined): JsonObject {
  const value = parseJson('the manifest', step?.resource.manifest ?? '');
  return isJsonObject(value) ? value : {};
}

function contentOf(bundle: string): BundleContent {
  const { csv, crds, others } = readRegistryBundle(corpusBundle(bundle));
  return { name: csv.metadata.name ?? '', csv: csv as unknown as JsonObject, objects: [...others, ...crds] };
}

describe('steps of a bundle', () => {
  test('the ClusterServiceVersion comes first, then CustomResourceDefinitions, objects and permissions', () => {
    const kinds = planSteps(content, { namespace: 'a', catalog }).map(({ resource }) => resource.kind);
    expect(kinds.slice(0, 4)).toEqual([
      'ClusterServiceVersion',
      'CustomResourceDefinition',
      'BundleSecret',
      'ServiceAccount',
    ]);
    expect(new Set(kinds.slice(4))).toEqual(new Set(['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']));
  });

  test('the ClusterServiceVersion has what was resolved, not what the bundle claims', () => {
    const properties = [{ type: 'olm.package', value: { packageName: 'acme', version: '1.2.3' } }];
    const options = { namespace: 'a', catalog, properties };
    const replaced = manifestOf(planSteps(content, { ...options, replaces: 'before' })[0]);
    expect(objectAt(replaced, 'spec')).toMatchObject({ replaces: 'before' });
    expect(objectAt(replaced, 'metadata', 'annotations')).toMatchObject({
      'operatorframework.io/properties':
        '{"properties":[{"type":"olm.package","value":{"packageName":"acme","version":"1.2.3"}}]}',
    });
    const fresh = manifestOf(planSteps(content, options)[0]);
    expect(objectAt(fresh, 'spec')).not.toHaveProperty('replaces');
    expect(textAt(objectAt(fresh, 'metadata'), 'namespace')).toBe('a');
  });

  test('a step names its catalog, its object and the ClusterServiceVersion that it serves', () => {
    expect(planSteps(content, { namespace: 'a', catalog })[2]).toEqual({
      resolving: 'acme-widget.v1.2.3',
      resource: {
        sourceName: 'shop',
        sourceNamespace: 'olm',
        group: '',
        version: 'v1',
        kind: 'BundleSecret',
        name: 'key',
        manifest: JSON.stringify(secret),
      },
      status: 'Unknown',
    });
  });

  test('roles are owned by name of the ClusterServiceVersion and found by labels', () => {
    const steps = planSteps(content, { namespace: 'a', catalog });
    const role = manifestOf(steps.find(({ resource }) => resource.kind === 'Role'));
    expect(objectAt(role, 'metadata')).toMatchObject({
      namespace: 'a',
      labels: {
        'olm.managed': 'true',
        'olm.owner': 'acme-widget.v1.2.3',
        'olm.owner.namespace': 'a',
        'olm.owner.kind': 'ClusterServiceVersion',
        'olm.permissions.hash': permissionsHash(objectsAt(role, 'rules')),
      },
      ownerReferences: [{ kind: 'ClusterServiceVersion', name: 'acme-widget.v1.2.3' }],
    });
    const clusterRole = manifestOf(steps.find(({ resource }) => resource.kind === 'ClusterRole'));
    expect(objectAt(clusterRole, 'metadata')).not.toHaveProperty('ownerReferences');
  });

  test('the same permission has another cluster-scoped name in another namespace', () => {
    const nameIn = (namespace: string): string | undefined =>
      planSteps(content, { namespace, catalog }).find(({ resource }) => resource.kind === 'ClusterRole')?.resource.name;
    expect(nameIn('a')).not.toBe(nameIn('b'));
  });

  test('an account of the name default is not created', () => {
    const install = { strategy: 'deployment', spec: { permissions: [{ serviceAccountName: 'default', rules: [] }] } };
    const steps = planSteps({ ...content, csv: acmeCsv({ install }) }, { namespace: 'a', catalog });
    expect(steps.map(({ resource }) => resource.kind)).not.toContain('ServiceAccount');
    expect(steps.map(({ resource }) => resource.kind)).toContain('RoleBinding');
  });

  test('an unknown install strategy is refused', () => {
    const csv = acmeCsv({ install: { strategy: 'image' } });
    expect(() => planSteps({ ...content, csv }, { namespace: 'a', catalog })).toThrow('unrecognized install strategy');
  });

  test('steps of several bundles are ordered by rank and otherwise keep their order', () => {
    const steps = ['a', 'b'].flatMap((namespace) => planSteps(content, { namespace, catalog }));
    const kinds = orderSteps(steps).map(({ resource }) => resource.kind);
    expect(kinds.slice(0, 5)).toEqual([
      'ClusterServiceVersion',
      'ClusterServiceVersion',
      'CustomResourceDefinition',
      'CustomResourceDefinition',
      'BundleSecret',
    ]);
  });
});

test('names and hashes of permissions are those that OLM computes', () => {
  const rules = [{ resources: ['configmaps'], verbs: ['get'], apiGroups: [''] }];
  const permissions = [{ serviceAccountName: 'controller-manager', rules }];
  const csv = acmeCsv({ install: { strategy: 'deployment', spec: { permissions } } }, { name: 'barge.v0.2.0' });
  const [, account, role] = planSteps({ name: 'barge.v0.2.0', csv, objects: [] }, { namespace: 'a', catalog });
  expect(account?.resource.name).toBe('controller-manager');
  // As in a plan that OLM v0.46 has made: test/olm/seen/takeover-state.json.
  expect(role?.resource.name).toBe('barge.v0.2.0-controller--6QRhi1SmOo5vj1quQ5UwgY91Q8ZAjiDAIzmJ4A');
  expect(textAt(objectAt(manifestOf(role), 'metadata', 'labels'), 'olm.permissions.hash')).toBe(
    '9b1l66XdBkgGyRsF8UTT7cJseCinXJQF3swGUU',
  );
});

test('an account that the bundle ships keeps what it has and gets an owner', () => {
  const shipped = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'acme-widget-controller', labels: { a: 'b' } },
    imagePullSecrets: [{ name: 'pull' }],
  };
  const steps = planSteps({ ...content, objects: [shipped] }, { namespace: 'a', catalog });
  const [account, ...more] = steps.filter(({ resource }) => resource.kind === 'ServiceAccount').map(manifestOf);
  expect(more).toEqual([]);
  expect(account).toMatchObject({
    metadata: { labels: { a: 'b', 'olm.managed': 'true' }, ownerReferences: [{ name: 'acme-widget.v1.2.3' }] },
    imagePullSecrets: [{ name: 'pull' }],
  });
});

describe('manifests of large bundles', () => {
  const identified = {
    ...content,
    digest: `sha256:${'0'.repeat(64)}`,
    image: `registry.example/a@sha256:${'0'.repeat(64)}`,
  };

  test('steps refer to the content by its digest, and the first has what was resolved', () => {
    const options = {
      namespace: 'a',
      catalog,
      replaces: 'old',
      properties: [{ type: 'x', value: 1 }],
      maxInlineBytes: 0,
    };
    const [csv, other] = planSteps(identified, options).map(({ resource }) =>
      readStepManifest(resource.manifest ?? '', { name: 'boat.v1', image: undefined }),
    );
    const { name, digest, image } = identified;
    expect(csv).toEqual({
      reference: { name, digest, image, catalog, replaces: 'old', properties: [{ type: 'x', value: 1 }] },
    });
    expect(other).toEqual({ reference: { name, digest, image, catalog, replaces: '' } });
  });

  test('E-038 only the largest manifests are left out, permissions last: users read them before they approve', () => {
    const large = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'large' },
      data: { text: 'x'.repeat(10_000) },
    };
    const bundle = { ...identified, objects: [...identified.objects, large] };
    const referredOf = (maxInlineBytes: number): string[] =>
      planSteps(bundle, { namespace: 'a', catalog, maxInlineBytes })
        .filter(
          ({ resource }) =>
            'reference' in (readStepManifest(resource.manifest ?? '', { name: 'boat.v1', image: undefined }) ?? {}),
        )
        .map(({ resource }) => resource.kind);
    expect(referredOf(9_000)).toEqual(['ConfigMap']);
    expect(referredOf(3_000)).not.toContain('ClusterRole');
    expect(referredOf(0)).toContain('ClusterRole');
  });

  test('content that is not identified stays in the plan', () => {
    const [csv] = planSteps(content, { namespace: 'a', catalog, maxInlineBytes: 0 });
    const bundle = { name: 'boat.v1', image: undefined };
    expect(readStepManifest(csv?.resource.manifest ?? '', bundle)).toHaveProperty('object.spec');
  });

  test('a plan of the real OLM refers to a ConfigMap, in place of which the image is read', () => {
    const reference = {
      kind: 'ConfigMap',
      name: '1f2e',
      namespace: 'olm',
      catalogSourceName: 'shop',
      catalogSourceNamespace: 'olm',
      replaces: 'boat.v0',
      properties: JSON.stringify({ properties: [{ type: 'x', value: 1 }] }),
    };
    const image = `registry.example/boat@sha256:${'0'.repeat(64)}`;
    expect(readStepManifest(JSON.stringify(reference), { name: 'boat.v1', image })).toEqual({
      reference: {
        name: 'boat.v1',
        image,
        catalog: { name: 'shop', namespace: 'olm' },
        replaces: 'boat.v0',
        properties: [{ type: 'x', value: 1 }],
      },
    });
    // One that is to be installed has other members.
    const object = { kind: 'ConfigMap', metadata: { name: 'settings' } };
    expect(readStepManifest(JSON.stringify(object), { name: 'boat.v1', image })).toEqual({ object });
  });
});

describe.runIf(expectedRenderings().length > 0)('real bundles', () => {
  test.each(expectedRenderings().map(({ bundle }) => bundle))('%s becomes steps with distinct names', (bundle) => {
    const read = contentOf(bundle.replace('@', '/'));
    const steps = planSteps(read, { namespace: 'install-ns', catalog });
    const keys = steps.map(({ resource }) => [resource.group, resource.kind, resource.name].join('/'));
    expect(new Set(keys).size).toBe(keys.length);
    expect(steps.every(({ resource }) => resource.name !== '' && resource.name.length <= 253)).toBe(true);
    expect(steps[0]?.resource.kind).toBe('ClusterServiceVersion');
  });
});

test('the more bundles a plan has, the fewer bytes of each are in it', () => {
  expect([1, 8, 16, 80].map((count) => inlineBytesFor(count) / 2 ** 10)).toEqual([100, 100, 50, 10]);
});

test.each([
  ['5m30s', 330_000],
  ['0', 0],
  ['-1s', undefined],
  ['soon', undefined],
  [undefined, undefined],
])('an OperatorGroup whose bundles may take %s, and are tried again after that time: %s ms', (text, ms) => {
  const keys = ['operatorframework.io/bundle-unpack-timeout', 'operatorframework.io/bundle-unpack-min-retry-interval'];
  const annotations = text === undefined ? {} : Object.fromEntries(keys.map((key) => [key, text]));
  const group = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata: { name: 'g', annotations } };
  expect(unpackTermsOf(group as OperatorGroup)).toEqual(ms === undefined ? {} : { timeoutMs: ms, minRetryMs: ms });
});
