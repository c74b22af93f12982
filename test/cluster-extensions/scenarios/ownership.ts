import { bundle, catalogOf, configMap, extension, extensionTarget, sampleCrd, settled } from '../objects.ts';
import type { Action, Scenario } from '../scenario.ts';

const settings = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: '$ns' };
const bundles = {
  '1.0.0': bundle('1.0.0', { extra: [configMap('settings', { a: '1' })] }),
  '1.1.0': bundle('1.1.0', { extra: [configMap('settings', { a: '2' })] }),
};
const offer: Action = { publish: 'shop', catalog: catalogOf({ channels: { stable: ['1.0.0'] } }) };
const installed: readonly Action[] = [offer, { apply: extension() }, { rest: 'installed', until: settled }];
const failed: readonly string[] = ['Retrying'];
const openSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const { status: _status, ...crd } = sampleCrd([{ name: 'v1', schema: openSchema }]);

export const scenarios: readonly Scenario[] = [
  {
    id: 'O01',
    title: 'an object of the bundle exists and belongs to no one',
    bundles,
    actions: [
      { apply: configMap('settings', { mine: 'yes' }, '$ns') },
      offer,
      { apply: extension() },
      { rest: 'refused', until: failed },
      { delete: settings },
      { patch: extensionTarget(), merge: { spec: { source: { catalog: { version: '1.x' } } } } },
      { rest: 'installed', until: settled },
    ],
  },
  {
    id: 'O02',
    title: 'two extensions for one package',
    bundles,
    actions: [...installed, { apply: extension({ name: 'wave' }) }, { rest: 'second', until: failed }],
  },
  {
    id: 'O03',
    title: 'data of an installed object is changed',
    bundles,
    actions: [...installed, { patch: settings, merge: { data: { a: 'x' } } }, { rest: 'corrected', until: settled }],
  },
  {
    id: 'O04',
    title: 'an installed object is deleted',
    bundles,
    actions: [...installed, { delete: settings }, { rest: 'corrected', until: settled }],
  },
  {
    id: 'O05',
    title: 'a field that the bundle does not have is added to an installed object',
    bundles,
    actions: [...installed, { patch: settings, merge: { data: { b: 'x' } } }, { rest: 'left', until: settled }],
  },
  {
    id: 'O06',
    title: 'the image of an installed Deployment is changed',
    bundles,
    actions: [
      ...installed,
      {
        patch: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'acme-widget-controller-manager', namespace: '$ns' },
        merge: {
          spec: { template: { spec: { containers: [{ name: 'manager', image: 'registry.example/other:v1' }] } } },
        },
      },
      { rest: 'corrected', until: settled },
    ],
  },
  {
    id: 'O07',
    title: 'an extension is deleted: what it installed goes',
    bundles,
    actions: [...installed, { delete: extensionTarget() }, { rest: 'deleted', untilGone: true }],
  },
  {
    id: 'O08',
    title: 'an extension that could not be installed is deleted',
    bundles: {},
    actions: [
      offer,
      { apply: extension() },
      { rest: 'failing', until: failed },
      { delete: extensionTarget() },
      { rest: 'deleted', untilGone: true },
    ],
  },
  {
    id: 'O09',
    title: 'an extension for which nothing was chosen is deleted',
    bundles,
    actions: [
      { apply: extension() },
      { rest: 'none', until: failed },
      { delete: extensionTarget() },
      { rest: 'deleted', untilGone: true },
    ],
  },
  {
    id: 'O10',
    title: 'an extension is deleted, and its objects are to stay',
    bundles,
    actions: [...installed, { delete: extensionTarget(), isOrphaning: true }, { rest: 'orphaned', untilGone: true }],
  },
  {
    id: 'O11',
    title: 'an extension is deleted and created again at once',
    bundles,
    actions: [
      ...installed,
      { delete: extensionTarget() },
      { rest: 'deleted', untilGone: true },
      { apply: extension() },
      { rest: 'again', until: settled },
    ],
  },
  {
    id: 'O12',
    title: 'a definition that was installed goes with the extension when it has no objects',
    bundles: { '1.0.0': bundle('1.0.0', { extra: [crd] }) },
    actions: [...installed, { delete: extensionTarget() }, { rest: 'deleted', untilGone: true }],
  },
  {
    id: 'O13',
    title: 'a definition with objects that users have made',
    bundles: { '1.0.0': bundle('1.0.0', { extra: [crd] }) },
    actions: [
      ...installed,
      {
        apply: {
          apiVersion: 'samples.example.com/v1',
          kind: 'Sample',
          metadata: { name: 'one', namespace: '$ns' },
          spec: {},
        },
      },
      { delete: extensionTarget() },
      { rest: 'deleted', untilGone: true },
    ],
  },
  {
    id: 'O14',
    title: 'the service account of the operator is deleted',
    bundles,
    actions: [
      ...installed,
      { delete: { apiVersion: 'v1', kind: 'ServiceAccount', name: 'acme-widget-controller', namespace: '$ns' } },
      { rest: 'corrected', until: settled },
    ],
  },
  {
    id: 'O15',
    title: 'labels of a user on the extension and on an object stay',
    bundles,
    actions: [
      ...installed,
      { patch: settings, merge: { metadata: { labels: { team: 'a' } } } },
      { patch: extensionTarget(), merge: { metadata: { labels: { team: 'a' } } } },
      { rest: 'left', until: settled },
    ],
  },
];
