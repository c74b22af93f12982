import { bundle, catalogOf, extension, extensionTarget, packageDocuments, settled } from '../objects.ts';
import type { Action, Catalog, Scenario } from '../scenario.ts';

const bundles = { '1.0.0': bundle('1.0.0'), '1.1.0': bundle('1.1.0'), '2.0.0': bundle('2.0.0') };
const failed: readonly string[] = ['Retrying'];
const at = (version: string): readonly string[] => [`"tide.v${version}"`, ...settled];
const publish = (
  name: string,
  version: string,
  { options = {}, ...more }: Omit<Catalog, 'documents'> & { readonly options?: object } = {},
): Action => ({
  publish: name,
  catalog: catalogOf({ channels: { stable: [version] }, ...options }, more),
});
const ask = (catalog: object = {}): Action => ({ apply: extension({ catalog: catalog as never }) });
const catalogTarget = (name: string) => ({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name });
const named = (name: string) => ({ matchLabels: { 'olm.operatorframework.io/metadata.name': name } });
const deprecated = { deprecations: [{ of: 'bundle', name: 'tide.v2.0.0', message: 'broken' }] };

export const scenarios: readonly Scenario[] = [
  {
    id: 'C01',
    title: 'the catalog of the higher priority wins, whatever the versions',
    bundles,
    actions: [
      publish('shop', '1.0.0', { priority: 2 }),
      publish('mall', '2.0.0', { priority: 1 }),
      ask(),
      { rest: 'chosen', until: at('1.0.0') },
    ],
  },
  {
    id: 'C02',
    title: 'catalogs of the same priority are ambiguous; a priority decides',
    bundles,
    actions: [
      publish('shop', '1.0.0'),
      publish('mall', '2.0.0'),
      ask(),
      { rest: 'ambiguous', until: failed },
      { patch: catalogTarget('mall'), merge: { spec: { priority: 1 } } },
      { rest: 'decided', until: at('2.0.0') },
    ],
  },
  {
    id: 'C03',
    title: 'three catalogs, two of them with the highest priority',
    bundles,
    actions: [
      publish('shop', '1.0.0', { priority: 5 }),
      publish('mall', '2.0.0', { priority: 5 }),
      publish('stall', '1.1.0', { priority: -1 }),
      ask(),
      { rest: 'ambiguous', until: failed },
    ],
  },
  {
    id: 'C04',
    title: 'a selector by the name of a catalog',
    bundles,
    actions: [
      publish('shop', '1.0.0'),
      publish('mall', '2.0.0'),
      ask({ selector: named('mall') }),
      { rest: 'chosen', until: at('2.0.0') },
    ],
  },
  {
    id: 'C05',
    title: 'a selector by expressions',
    bundles,
    actions: [
      publish('shop', '1.0.0', { labels: { tier: 'gold' } }),
      publish('mall', '2.0.0', { labels: { tier: 'tin' } }),
      ask({ selector: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['tin'] }] } }),
      { rest: 'chosen', until: at('1.0.0') },
    ],
  },
  {
    id: 'C06',
    title: 'a selector that selects no catalog',
    bundles,
    actions: [publish('shop', '1.0.0'), ask({ selector: named('none') }), { rest: 'none', until: failed }],
  },
  {
    id: 'C07',
    title: 'a selector with an operator that does not exist',
    bundles,
    actions: [
      publish('shop', '1.0.0'),
      ask({ selector: { matchExpressions: [{ key: 'tier', operator: 'Like', values: ['g'] }] } }),
      { rest: 'invalid', until: failed },
    ],
  },
  {
    id: 'C08',
    title: 'an empty selector selects all',
    bundles,
    actions: [publish('shop', '1.0.0'), ask({ selector: {} }), { rest: 'chosen', until: at('1.0.0') }],
  },
  {
    id: 'C09',
    title: 'an unavailable catalog is left out',
    bundles,
    actions: [
      publish('shop', '1.0.0'),
      publish('mall', '2.0.0', { priority: 3 }),
      { patch: catalogTarget('mall'), merge: { spec: { availabilityMode: 'Unavailable' } } },
      ask(),
      { rest: 'chosen', until: at('1.0.0') },
    ],
  },
  {
    id: 'C10',
    title: 'the only catalog becomes unavailable after the installation',
    bundles,
    actions: [
      publish('shop', '1.0.0'),
      ask(),
      { rest: 'first', until: at('1.0.0') },
      { patch: catalogTarget('shop'), merge: { spec: { availabilityMode: 'Unavailable' } } },
      { rest: 'unavailable', until: failed },
    ],
  },
  {
    id: 'C11',
    title: 'a catalog whose image has no content',
    bundles,
    actions: [
      {
        publish: 'mall',
        catalog: { documents: packageDocuments({ channels: { stable: ['2.0.0'] } }), isUnlabelled: true },
      },
      publish('shop', '1.0.0'),
      ask(),
      { rest: 'broken', until: failed },
    ],
  },
  {
    id: 'C12',
    title: 'a catalog without content that is not selected',
    bundles,
    actions: [
      {
        publish: 'mall',
        catalog: { documents: packageDocuments({ channels: { stable: ['2.0.0'] } }), isUnlabelled: true },
      },
      publish('shop', '1.0.0'),
      ask({ selector: named('shop') }),
      { rest: 'chosen', until: at('1.0.0') },
    ],
  },
  {
    id: 'C13',
    title: 'a version that is not deprecated wins against a higher priority',
    bundles,
    actions: [
      publish('mall', '2.0.0', { priority: 9, options: deprecated }),
      publish('shop', '1.0.0', { priority: 1 }),
      ask(),
      { rest: 'chosen', until: at('1.0.0') },
    ],
  },
  {
    id: 'C14',
    title: 'the catalog that something was installed from is deleted, another one has it too',
    bundles,
    actions: [
      publish('shop', '1.0.0', { priority: 1 }),
      publish('mall', '1.0.0'),
      ask(),
      { rest: 'first', until: at('1.0.0') },
      { withdraw: 'shop' },
      { rest: 'stays', until: at('1.0.0') },
    ],
  },
  {
    id: 'C15',
    title: 'a second catalog with the same version makes an installed extension ambiguous',
    bundles,
    actions: [
      publish('shop', '1.0.0'),
      ask(),
      { rest: 'first', until: at('1.0.0') },
      publish('mall', '1.0.0'),
      { rest: 'ambiguous', until: failed },
    ],
  },
  {
    id: 'C16',
    title: 'a second catalog with versions to which no update leads is no matter',
    bundles,
    actions: [
      publish('shop', '1.0.0'),
      ask(),
      { rest: 'first', until: at('1.0.0') },
      publish('mall', '2.0.0'),
      { rest: 'stays', until: at('1.0.0') },
    ],
  },
  {
    id: 'C17',
    title: 'labels of catalogs change what is selected',
    bundles,
    actions: [
      publish('shop', '1.0.0', { labels: { tier: 'gold' } }),
      ask({ selector: { matchLabels: { tier: 'tin' } } }),
      { rest: 'none', until: failed },
      { patch: catalogTarget('shop'), merge: { metadata: { labels: { tier: 'tin' } } } },
      { patch: extensionTarget(), merge: { spec: { source: { catalog: { version: '1.0.0' } } } } },
      { rest: 'chosen', until: at('1.0.0') },
    ],
  },
  {
    id: 'C18',
    title: 'the catalogs that are selected are deleted, others stay',
    bundles,
    actions: [
      publish('shop', '1.0.0'),
      publish('mall', '2.0.0'),
      ask({ selector: named('shop') }),
      { rest: 'first', until: at('1.0.0') },
      { withdraw: 'shop' },
      { rest: 'kept', until: ['DeprecationStatusUnknown'] },
    ],
  },
];
