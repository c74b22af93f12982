import type { JsonObject } from '../../../src/base/index.ts';
import {
  catalog,
  catalogSource,
  connected,
  latest,
  packageOf,
  sourceTarget,
  subscription,
  subscriptionTarget,
} from '../catalog-objects.ts';
import { apply, group, inNamespace, rest } from '../objects.ts';
import { configMap } from '../rbac-objects.ts';
import type { Scenario } from '../scenario.ts';

const namespaces = ['a'];
const first = { version: '0.1.0' };
const source = (spec: JsonObject, name = 'shop'): JsonObject => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name, namespace: inNamespace('a') },
  spec,
});
const packages = '/apis/packages.operators.coreos.com/v1/namespaces/$id-a/packagemanifests';
const annotations = { 'olm.operatorframework.io/exclude-global-namespace-resolution': 'true' };

/** A CatalogSource whose spec is wrong, and a Subscription to it. */
function refused(id: string, title: string, spec: JsonObject): Scenario {
  return { id, title, namespaces, actions: [...apply(group(), source(spec), subscription()), rest('refused')] };
}

/** A catalog whose bundle has a CSV without apiVersion. */
const withoutApiVersion: JsonObject[] = packageOf({}, first).map((document) => {
  if (document['schema'] !== 'olm.bundle') return document;
  return JSON.parse(
    JSON.stringify(document).replace('"apiVersion":"operators.coreos.com/v1alpha1",', ''),
  ) as JsonObject;
});

/** CatalogSources and what is read from them. */
export const scenarios: readonly Scenario[] = [
  refused('E-043b', 'the type of the catalog is unknown', { sourceType: 'magic' }),
  refused('E-043c', 'the catalog has neither image nor address', { sourceType: 'grpc' }),
  refused('E-043d', 'the catalog names no ConfigMap', { sourceType: 'configmap' }),
  refused('E-043e', 'the catalog names a ConfigMap that does not exist', {
    sourceType: 'configmap',
    configMap: 'missing',
  }),
  refused('E-043f', 'the address of the catalog does not answer', { sourceType: 'grpc', address: '127.0.0.1:1' }),
  {
    id: 'E-043g',
    title: 'the catalog of the Subscription is created later',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...apply(group(), subscription()),
      rest('missing'),
      ...apply(catalogSource('old')),
      rest('created', latest()),
    ],
  },
  {
    id: 'E-060',
    title: 'the poll interval of a catalog is invalid, then valid',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...apply(catalogSource('old', { spec: { updateStrategy: { registryPoll: { interval: 'often' } } } })),
      rest('invalid', connected()),
      { patch: sourceTarget(), merge: { spec: { updateStrategy: { registryPoll: { interval: '30m' } } } } },
      rest('valid'),
    ],
  },
  {
    id: 'E-062c',
    title: 'the catalog of an installed operator is deleted',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...apply(group(), catalogSource('old')),
      rest('catalog', connected()),
      ...apply(subscription()),
      rest('installed', latest()),
      { delete: sourceTarget() },
      rest('deleted', { of: subscriptionTarget(), has: 'NoCatalogSourcesFound' }),
    ],
  },
  {
    id: 'E-063',
    title: 'another catalog of the namespace does not answer',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...apply(group(), catalogSource('old'), source({ sourceType: 'grpc', address: '127.0.0.1:1' }, 'broken')),
      rest('catalogs', connected()),
      ...apply(subscription()),
      rest('subscribed'),
    ],
  },
  {
    id: 'E-063c',
    title: 'a global catalog does not answer, and the group excludes global catalogs',
    namespaces,
    isAlone: true,
    catalogs: { old: catalog(first) },
    actions: [
      ...apply({
        ...source({ sourceType: 'grpc', address: '127.0.0.1:1' }),
        metadata: { name: '$id-broken', namespace: 'olm' },
      }),
      ...apply(group(), catalogSource('old')),
      rest('catalogs', connected()),
      ...apply(subscription()),
      rest('not excluded'),
      {
        patch: { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: 'group', namespace: '$id-a' },
        merge: { metadata: { annotations } },
      },
      rest('excluded', latest()),
    ],
  },
  {
    id: 'E-061',
    title: 'the CSV of a bundle has no apiVersion',
    namespaces,
    catalogs: {
      old: withoutApiVersion,
    },
    actions: [
      ...apply(group(), catalogSource('old')),
      rest('catalog', connected()),
      ...apply(subscription()),
      rest('refused'),
    ],
  },
  {
    id: 'E-048',
    title: 'a bundle cannot be read, then the catalog is corrected',
    namespaces,
    catalogs: { old: withoutApiVersion, new: packageOf({}, first) },
    actions: [
      ...apply(group(), catalogSource('old')),
      rest('catalog', connected()),
      ...apply(subscription()),
      rest('refused', { of: subscriptionTarget(), has: 'APIVersion' }),
      { patch: sourceTarget(), merge: { spec: { address: '$catalog/new' } } },
      rest('corrected', latest()),
    ],
  },
  {
    id: 'C-017',
    title: 'a catalog has two packages with channels',
    namespaces,
    catalogs: {
      old: [
        ...packageOf({ channels: { alpha: [{ name: 'boat.v0.1.0' }] } }, first, {
          version: '0.2.0',
          replaces: '0.1.0',
        }),
        ...packageOf({ name: 'dock', kind: 'Dock', channel: 'fast' }, { version: '1.0.0' }),
      ],
    },
    actions: [
      ...apply(catalogSource('old')),
      {
        rest: 'listed',
        until: connected(),
        reads: { packages },
      },
    ],
  },
  {
    id: 'E-071a',
    title: 'a package has an icon, and its catalog a name',
    namespaces,
    catalogs: {
      old: catalog({
        ...first,
        csv: {
          spec: {
            description: 'Sails',
            icon: [{ base64data: 'PHN2Zy8+', mediatype: 'image/svg+xml' }],
            provider: { name: 'Example', url: 'https://example.com' },
            keywords: ['sea'],
            links: [{ name: 'Home', url: 'https://example.com' }],
            maintainers: [{ name: 'A Sailor', email: 'sailor@example.com' }],
            maturity: 'alpha',
            minKubeVersion: '1.20.0',
          },
        },
      }),
    },
    actions: [
      ...apply(catalogSource('old', { spec: { displayName: 'Shop', publisher: 'Example' } })),
      {
        rest: 'read',
        until: connected(),
        reads: {
          package: `${packages}/boat`,
          missing: `${packages}/ghost`,
          resources: '/apis/packages.operators.coreos.com/v1',
        },
      },
      { patch: sourceTarget(), merge: { spec: { displayName: 'Store' } } },
      { rest: 'renamed', reads: { package: `${packages}/boat` } },
      { delete: sourceTarget() },
      { rest: 'deleted', reads: { packages } },
    ],
  },
  {
    id: 'E-071b',
    title: 'packages of a global catalog and of another namespace are listed',
    namespaces: ['a', 'b'],
    isAlone: true,
    catalogs: { global: packageOf({ name: 'dock', kind: 'Dock' }, { version: '1.0.0' }), other: catalog(first) },
    actions: [
      ...apply({
        ...source({ sourceType: 'grpc', address: '$catalog/global' }),
        metadata: { name: '$id-global', namespace: 'olm' },
      }),
      ...apply(catalogSource('other', { namespace: 'b' })),
      {
        rest: 'listed',
        until: connected('shop', 'b'),
        reads: { a: packages, b: packages.replace('$id-a', '$id-b') },
      },
    ],
  },
  {
    id: 'E-071c',
    title: 'a deprecated package is listed',
    namespaces,
    catalogs: {
      old: packageOf(
        {
          deprecations: [
            { reference: { schema: 'olm.package' }, message: 'no more boats' },
            { reference: { schema: 'olm.channel', name: 'stable' }, message: 'no more of stable' },
            { reference: { schema: 'olm.bundle', name: 'boat.v0.1.0' }, message: 'no more of 0.1.0' },
          ],
        },
        first,
        { version: '0.2.0', replaces: '0.1.0' },
      ),
    },
    actions: [...apply(catalogSource('old')), { rest: 'read', until: connected(), reads: { packages } }],
  },
  {
    id: 'C-013c',
    title: 'a catalog has a ConfigMap of the old format',
    namespaces,
    actions: [
      ...apply(
        configMap(
          { name: 'packages' },
          {
            packages: JSON.stringify([{ packageName: 'boat', channels: [] }]),
            clusterServiceVersions: '[]',
            customResourceDefinitions: '[]',
          },
        ),
      ),
      ...apply(source({ sourceType: 'internal', configMap: 'packages' })),
      rest('created'),
    ],
  },
];
