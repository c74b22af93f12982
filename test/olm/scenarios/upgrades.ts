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
import { apply, conditionTarget, csvTarget, deployment, failed, group, rest } from '../objects.ts';
import type { Action, Scenario, State } from '../scenario.ts';

const namespaces = ['a'];
const version1 = 'boat.v0.1.0';
const version2 = 'boat.v0.2.0';
const first = { version: '0.1.0' };
const second = { version: '0.2.0', replaces: '0.1.0' };
const shop = [...apply(group(), catalogSource('old')), rest('catalog', connected())];
const shops = (...names: readonly string[]): Action[] => [
  ...apply(group()),
  ...names.flatMap((name) => [...apply(catalogSource(name, { name })), rest(`catalog ${name}`, connected(name))]),
];
const newCatalog: Action = { patch: sourceTarget(), merge: { spec: { address: '$catalog/new' } } };
const resolutionFailed: State = { of: subscriptionTarget(), has: '"type":"ResolutionFailed"' };
const crashing = deployment('boat', 'registry.example/boat', {
  metadata: { labels: { app: 'boat' }, annotations: { 'apiserver.longshore.dev/simulate': 'fail' } },
});
const forward = { spec: { upgradeStrategy: 'TechPreviewUnsafeFailForward' } };
const deprecation = (schema: string, name: string | undefined, message: string): JsonObject => {
  return { reference: { schema, ...(name === undefined ? {} : { name }) }, message };
};

/** Upgrades that fail, are held or skip, and deprecations. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'E-050',
    title: 'the package, the channel and the bundle are deprecated, then no more',
    namespaces,
    catalogs: {
      old: packageOf(
        {
          deprecations: [
            deprecation('olm.package', undefined, 'no more boats'),
            deprecation('olm.channel', 'stable', 'no more of stable'),
            deprecation('olm.bundle', version1, 'no more of 0.1.0'),
          ],
        },
        first,
      ),
      new: catalog(first),
    },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('deprecated', { of: subscriptionTarget(), has: 'BundleDeprecated' }),
      newCatalog,
      rest('no more'),
    ],
  },
  {
    id: 'E-051',
    title: 'a Subscription switches to a package whose CSV replaces that of the first',
    namespaces,
    catalogs: {
      old: [
        ...catalog(first),
        ...packageOf({ name: 'ship' }, { version: '0.2.0', csv: { spec: { replaces: version1 } } }).map((document) =>
          document['schema'] === 'olm.channel'
            ? { ...document, entries: [{ name: 'ship.v0.2.0', replaces: version1 }] }
            : document,
        ),
      ],
    },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      { patch: subscriptionTarget(), merge: { spec: { name: 'ship' } } },
      rest('switched', latest('ship.v0.2.0')),
    ],
  },
  {
    id: 'E-052a',
    title: 'a CSV of an upgrade fails, and the next version skips it, failing forward',
    namespaces,
    catalogs: {
      old: catalog({ ...first, csv: { install: { deployments: [crashing] } } }),
      new: catalog({ ...first, csv: { install: { deployments: [crashing] } } }, second),
    },
    actions: [
      ...apply(group(forward), catalogSource('old')),
      rest('catalog', connected()),
      ...apply(subscription()),
      rest('failed', failed()),
      newCatalog,
      rest('forward', latest(version2)),
    ],
  },
  {
    id: 'E-052b',
    title: 'a CSV fails, and a newer version exists, without failing forward',
    namespaces,
    catalogs: {
      old: catalog({ ...first, csv: { install: { deployments: [crashing] } } }),
      new: catalog({ ...first, csv: { install: { deployments: [crashing] } } }, second),
    },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('failed', failed()),
      newCatalog,
      rest('held', { of: csvTarget(version2), is: 'Pending' }),
    ],
  },
  {
    id: 'E-052c',
    title: 'the upgrade waits for its predecessor, and a third version skips it',
    namespaces,
    catalogs: {
      old: catalog(first, { ...second, csv: { install: { deployments: [crashing] } } }),
      new: catalog(
        first,
        { ...second, csv: { install: { deployments: [crashing] } } },
        {
          version: '0.3.0',
          replaces: '0.1.0',
          skips: ['0.2.0'],
        },
      ),
    },
    actions: [
      ...apply(group(forward), catalogSource('old')),
      rest('catalog', connected()),
      ...apply(subscription({ startingCSV: version1 })),
      rest('failed', failed(version2)),
      newCatalog,
      rest('forward', latest('boat.v0.3.0')),
    ],
  },
  {
    id: 'E-067j',
    title: 'an OperatorCondition holds an upgrade, and the catalog gets a third version',
    namespaces,
    catalogs: { old: catalog(first), new: catalog(first, second) },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      {
        patch: conditionTarget(),
        merge: {
          spec: {
            conditions: [
              {
                type: 'Upgradeable',
                status: 'False',
                reason: 'Busy',
                message: 'not now',
                lastTransitionTime: '2026-01-01T00:00:00Z',
              },
            ],
          },
        },
      },
      newCatalog,
      rest('held', { of: csvTarget(version2), is: 'Pending' }),
    ],
  },
  {
    id: 'C-076',
    title: 'the head has a skipRange that fits, and another entry replaces the installed version',
    namespaces,
    catalogs: {
      old: catalog(first),
      new: catalog(first, second, { version: '0.3.0', replaces: '0.2.0', skipRange: '<0.3.0' }),
    },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      newCatalog,
      rest('upgraded', latest('boat.v0.3.0')),
    ],
  },
  {
    id: 'C-077',
    title: 'only another visible catalog has a newer version',
    namespaces,
    catalogs: { shop: catalog(first), other: catalog(first, { version: '0.3.0', skipRange: '<0.3.0' }) },
    actions: [
      ...apply(group(), catalogSource('shop')),
      rest('catalog', connected()),
      ...apply(subscription()),
      rest('installed', latest()),
      ...apply(catalogSource('other', { name: 'other' })),
      rest('another', connected('other')),
    ],
  },
  {
    id: 'C-078',
    title: 'each of two old patch versions has the newest as its successor',
    namespaces,
    catalogs: {
      old: catalog(first, { version: '0.1.1', replaces: '0.1.0' }),
      new: catalog(
        first,
        { version: '0.1.1', replaces: '0.1.0' },
        {
          version: '0.2.2',
          replaces: '0.1.1',
          skips: ['0.1.0', '0.2.0', '0.2.1'],
          skipRange: '>=0.1.0 <0.2.2',
        },
      ),
    },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest('boat.v0.1.1')),
      newCatalog,
      rest('upgraded', latest('boat.v0.2.2')),
    ],
  },
  {
    id: 'C-069b',
    title: 'the Subscription names no channel',
    namespaces,
    catalogs: {
      old: packageOf({ channels: { alpha: [{ name: version1 }] } }, first, second),
    },
    actions: [...shop, ...apply(subscription({ channel: '' })), rest('installed', latest(version2))],
  },
  {
    id: 'C-012b',
    title: 'the channel of a Subscription changes to one that replaces the installed version',
    namespaces,
    catalogs: {
      old: packageOf({ channels: { fast: [{ name: version2, replaces: version1 }] } }, first, second).map((document) =>
        document['name'] === 'stable' ? { ...document, entries: [{ name: version1 }] } : document,
      ),
    },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      { patch: subscriptionTarget(), merge: { spec: { channel: 'fast' } } },
      rest('upgraded', latest(version2)),
    ],
  },
  {
    id: 'E-062b',
    title: 'a CSV of a Subscription is deleted',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      { delete: csvTarget(version1) },
      rest('deleted', { of: csvTarget(version1), isAbsent: true }),
    ],
  },
  {
    id: 'C-071b',
    title: 'the entries of a channel replace one another in a circle',
    namespaces,
    catalogs: { old: catalog({ ...first, replaces: '0.2.0' }, second) },
    actions: [...shop, ...apply(subscription()), rest('refused', resolutionFailed)],
  },
  {
    id: 'E-042b',
    title: 'the Subscription starts at a version that the channel lacks',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [...shop, ...apply(subscription({ startingCSV: 'boat.v9.0.0' })), rest('refused', resolutionFailed)],
  },
  {
    id: 'E-063b',
    title: 'two catalogs of the namespace have the package, and the Subscription names one',
    namespaces,
    catalogs: { alpha: catalog(first), beta: catalog(first, second) },
    actions: [...shops('alpha', 'beta'), ...apply(subscription({ source: 'alpha' })), rest('installed', latest())],
  },
];
