import { type JsonObject, textAt } from '../../../src/base/index.ts';
import {
  catalog,
  catalogSource,
  connected,
  latest,
  pending,
  subscription,
  subscriptionTarget,
} from '../catalog-objects.ts';
import { apply, csvTarget, group, rest } from '../objects.ts';
import type { Action, Scenario, State } from '../scenario.ts';

type Documents = readonly JsonObject[];

const namespaces = ['a'];
const first = { version: '0.1.0' };
const second = { version: '0.2.0', replaces: '0.1.0' };
const third = { version: '0.3.0', replaces: '0.2.0' };
/** Until the catalog is connected, resolution fails. */
const shop = [...apply(group(), catalogSource('old')), rest('catalog', connected())];
/** The catalog of the CatalogSource is exchanged. */
const newCatalog: Action = {
  patch: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', name: 'shop', namespace: '$id-a' },
  merge: { spec: { address: '$catalog/new' } },
};
const unresolved: State = { of: subscriptionTarget(), has: '"type":"ResolutionFailed"' };

/** What to wait for: that the last entry of the channel is installed, or that a plan needs approval. */
function headState(documents: Documents, spec: JsonObject): State {
  const head = textAt(documents.at(-1), 'name');
  return spec['installPlanApproval'] === 'Manual' ? pending('boat.v0.1.0') : latest(head);
}

/** An upgrade from the old catalog's head to the new one's. */
function upgrade(
  id: string,
  title: string,
  { spec = {}, ...catalogs }: { readonly old: Documents; readonly new: Documents; readonly spec?: JsonObject },
): Scenario {
  const [before, after] = [catalogs.old, catalogs.new].map((documents) => headState(documents, spec));
  const installed = rest('installed', before);
  const actions = [...shop, ...apply(subscription(spec)), installed, newCatalog, rest('upgraded', after)];
  return { id, title, namespaces, catalogs, actions };
}

/** Rows about catalogs, Subscriptions and upgrades. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'C-006-C-011-C-069',
    title: 'a fresh package is subscribed to',
    namespaces,
    catalogs: { old: catalog(first, second) },
    actions: [...shop, ...apply(subscription()), rest('installed', latest('boat.v0.2.0'))],
  },
  upgrade('C-012', 'the channel gets a newer head', { old: catalog(first), new: catalog(first, second) }),
  upgrade('C-018-C-070', 'the channel is two versions ahead', {
    old: catalog(first),
    new: catalog(first, second, third),
  }),
  upgrade('C-013', 'the channel gets a newer head, and plans need approval', {
    old: catalog(first),
    new: catalog(first, second),
    spec: { installPlanApproval: 'Manual' },
  }),
  upgrade('C-072', 'the head skips a version that is not installed', {
    old: catalog(first),
    new: catalog(first, second, { version: '0.3.0', replaces: '0.1.0', skips: ['0.2.0'] }),
  }),
  upgrade('C-073', 'the head skips the version that is installed', {
    old: catalog(first, second),
    new: catalog(first, second, { version: '0.3.0', replaces: '0.1.0', skips: ['0.2.0'] }),
  }),
  upgrade('C-074', 'the installed version is in the skipRange of the head', {
    old: catalog(first),
    new: catalog(first, second, { ...third, skipRange: '>=0.1.0 <0.3.0' }),
  }),
  upgrade('C-075', 'the installed version is outside of the skipRange of the head', {
    old: catalog(first),
    new: catalog(first, second, { ...third, skipRange: '>=0.2.0 <0.3.0' }),
  }),
  {
    id: 'C-071',
    title: 'two entries of the channel replace one version',
    namespaces,
    catalogs: { old: catalog(first, second, { version: '0.3.0', replaces: '0.1.0' }) },
    actions: [...shop, ...apply(subscription()), rest('refused', unresolved)],
  },
  {
    id: 'E-043',
    title: 'the catalog of the Subscription does not exist',
    namespaces,
    actions: [...apply(group(), subscription({ source: 'nowhere' })), rest('missing', unresolved)],
  },
  {
    id: 'C-011b',
    title: 'the package of the Subscription does not exist',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [...shop, ...apply(subscription({ name: 'ghost' })), rest('missing', unresolved)],
  },
  {
    id: 'C-011c',
    title: 'the channel of the Subscription does not exist',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [...shop, ...apply(subscription({ channel: 'ghost' })), rest('missing', unresolved)],
  },
  {
    id: 'E-037',
    title: 'a Subscription has no OperatorGroup, then one is created',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...apply(catalogSource('old')),
      rest('catalog', connected()),
      ...apply(subscription()),
      rest('without'),
      ...apply(group()),
      rest('with', latest()),
    ],
  },
  {
    id: 'E-044',
    title: 'the Subscription configures the Deployments',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...shop,
      ...apply(
        subscription({
          config: {
            env: [{ name: 'COLOR', value: 'blue' }],
            nodeSelector: { disk: 'fast' },
            tolerations: [{ key: 'sea', operator: 'Exists' }],
            resources: { requests: { cpu: '1m' } },
          },
        }),
      ),
      rest('installed', latest()),
      { patch: subscriptionTarget(), merge: { spec: { config: { env: [{ name: 'COLOR', value: 'red' }] } } } },
      rest('changed'),
    ],
  },
  {
    id: 'E-062',
    title: 'the Subscription is deleted, then the CSV',
    namespaces,
    catalogs: { old: catalog(first) },
    actions: [
      ...shop,
      ...apply(subscription()),
      rest('installed', latest()),
      { delete: subscriptionTarget() },
      rest('Subscription deleted'),
      { delete: csvTarget('boat.v0.1.0') },
      rest('CSV deleted'),
    ],
  },
];
