import type { JsonObject } from '../../../src/base/index.ts';
import {
  catalog,
  catalogSource,
  connected,
  latest,
  packageOf,
  subscription,
  subscriptionTarget,
} from '../catalog-objects.ts';
import { apply, crd, csv, deployment, group, rest, succeeded } from '../objects.ts';
import type { Scenario, State } from '../scenario.ts';

const namespaces = ['a'];
const first = { version: '0.1.0' };
const needsDock: JsonObject = {
  type: 'olm.gvk.required',
  value: { group: '$id.example.com', version: 'v1', kind: 'Dock' },
};
const dockDeployment = { install: { deployments: [deployment('dock')] } };
const docks = (...versions: readonly string[]): JsonObject[] =>
  packageOf({ name: 'dock', kind: 'Dock' }, ...versions.map((version) => ({ version, csv: dockDeployment })));
const boatOnDock = (properties: readonly JsonObject[] = [needsDock]): JsonObject[] =>
  packageOf({}, { version: '0.1.0', properties });
const shop = [...apply(group(), catalogSource('old')), rest('catalog', connected())];
const resolutionFailed: State = { of: subscriptionTarget(), has: '"type":"ResolutionFailed"' };
type Named = Pick<Scenario, 'id' | 'title'>;

/** A constraint that boats have on docks. */
function constrained({ id, title }: Named, value: JsonObject, until: State = latest()): Scenario {
  return {
    id,
    title,
    namespaces,
    catalogs: {
      old: [...boatOnDock([{ type: 'olm.constraint', value }]), ...docks('1.0.0')],
    },
    actions: [...shop, ...apply(subscription()), rest('resolved', until)],
  };
}

/** Dependencies and preferences. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'E-045a',
    title: 'a dependency is in the catalog of the dependent and in another of higher priority',
    namespaces,
    catalogs: { shop: [...boatOnDock(), ...docks('1.0.0')], other: docks('2.0.0') },
    actions: [
      ...apply(group(), catalogSource('shop'), catalogSource('other', { name: 'other', spec: { priority: 100 } })),
      rest('catalogs', connected('other')),
      ...apply(subscription()),
      rest('installed', latest()),
    ],
  },
  {
    id: 'E-045b',
    title: 'a dependency is in two other catalogs of different priority',
    namespaces,
    catalogs: { shop: boatOnDock(), low: docks('1.0.0'), top: docks('2.0.0') },
    actions: [
      ...apply(group(), catalogSource('shop'), catalogSource('low', { name: 'low' })),
      ...apply(catalogSource('top', { name: 'top', spec: { priority: 100 } })),
      rest('catalogs', connected('top')),
      ...apply(subscription()),
      rest('installed', latest()),
    ],
  },
  {
    id: 'E-045c',
    title: 'a dependency is in two other catalogs of equal priority',
    namespaces,
    catalogs: { shop: boatOnDock(), beta: docks('1.0.0'), alpha: docks('2.0.0') },
    actions: [
      ...apply(group(), catalogSource('shop'), catalogSource('beta', { name: 'beta' })),
      ...apply(catalogSource('alpha', { name: 'alpha' })),
      rest('catalogs', connected('alpha')),
      ...apply(subscription()),
      rest('installed', latest()),
    ],
  },
  {
    id: 'E-045d',
    title: 'a dependency by package has a version range',
    namespaces,
    catalogs: {
      old: [
        ...boatOnDock([{ type: 'olm.package.required', value: { packageName: 'dock', versionRange: '<2.0.0' } }]),
        ...packageOf(
          { name: 'dock', kind: 'Dock' },
          { version: '1.0.0', csv: dockDeployment },
          { version: '2.0.0', replaces: '1.0.0', csv: dockDeployment },
        ),
      ],
    },
    actions: [...shop, ...apply(subscription()), rest('installed', latest())],
  },
  {
    id: 'E-045e',
    title: 'a dependency is installed already, by a CSV without a Subscription',
    namespaces,
    catalogs: { old: [...boatOnDock(), ...docks('1.0.0')] },
    actions: [
      ...apply(crd('Dock'), csv({ name: 'dock.v0.0.1', kind: 'Dock', ...dockDeployment })),
      ...shop,
      rest('dock', succeeded('dock.v0.0.1')),
      ...apply(subscription()),
      rest('installed', latest()),
    ],
  },
  constrained(
    { id: 'E-045f', title: 'a dependency is a choice of two' },
    {
      failureMessage: 'needs a dock or a harbor',
      any: {
        constraints: [
          { gvk: { group: '$id.example.com', version: 'v1', kind: 'Harbor' } },
          { gvk: { group: '$id.example.com', version: 'v1', kind: 'Dock' } },
        ],
      },
    },
  ),
  constrained(
    { id: 'E-046b', title: 'a constraint cannot be met' },
    {
      failureMessage: 'needs a harbor',
      all: { constraints: [{ gvk: { group: '$id.example.com', version: 'v1', kind: 'Harbor' } }] },
    },
    resolutionFailed,
  ),
  {
    id: 'E-046a',
    title: 'a dependency cannot be met, then a catalog provides it',
    namespaces,
    catalogs: { old: boatOnDock(), docks: docks('1.0.0') },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('unsatisfiable', resolutionFailed),
      ...apply(catalogSource('docks', { name: 'docks' })),
      rest('supplied', latest()),
    ],
  },
  {
    id: 'E-047',
    title: 'a package is requested whose CSV exists without a Subscription',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...shop,
      ...apply(crd(), csv()),
      rest('by hand', succeeded()),
      ...apply(subscription()),
      rest('subscribed'),
    ],
  },
  {
    id: 'C-011d',
    title: 'two packages are subscribed to at once',
    namespaces,
    catalogs: { old: [...catalog(first), ...docks('1.0.0')] },
    actions: [
      ...shop,
      ...apply(subscription(), subscription({}, 'dock')),
      rest('installed', latest()),
      rest('both', latest('dock.v1.0.0', 'dock')),
    ],
  },
  {
    id: 'C-011e',
    title: 'one of two Subscriptions cannot be resolved',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      ...apply(subscription({}, 'ghost')),
      rest('refused', { of: subscriptionTarget('ghost'), has: '"type":"ResolutionFailed"' }),
    ],
  },
  {
    id: 'C-011f',
    title: 'a package is subscribed to twice',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      ...apply(subscription({ name: 'boat' }, 'again')),
      rest('refused', { of: subscriptionTarget('again'), has: '"type":"ResolutionFailed"' }),
    ],
  },
];
