import { bundle, catalogOf, configMap, extension, sampleCrd, settled } from '../objects.ts';
import type { Action, Catalog, Scenario } from '../scenario.ts';

const line = [
  '1.0.0',
  { version: '1.1.0', replaces: '1.0.0' },
  { version: '1.2.0', replaces: '1.1.0' },
  { version: '2.0.0', replaces: '1.2.0' },
] as const;
const versions = ['1.0.0', '1.1.0', '1.2.0', '2.0.0'];
const bundles = Object.fromEntries(versions.map((version) => [version, bundle(version)]));
const shop = catalogOf({ channels: { stable: line, old: [line[0], line[1]] } });
const offer: Action = { publish: 'shop', catalog: shop };
const failed: readonly string[] = ['Retrying'];

function chosen(id: string, title: string, { until = settled, ...catalog }: Record<string, unknown>): Scenario {
  const asked = extension({ catalog: catalog as never });
  return {
    id,
    title,
    bundles,
    actions: [offer, { apply: asked }, { rest: 'asked', until: until as readonly string[] }],
  };
}

function alone(id: string, title: string, files: Scenario['bundles'] = {}): Scenario {
  const catalog: Catalog = catalogOf({ channels: { stable: ['1.0.0'] } });
  const actions: Action[] = [{ publish: 'shop', catalog }, { apply: extension() }, { rest: 'asked', until: settled }];
  return { id, title, bundles: files, actions };
}

/** The same of what cannot be installed. */
function failing(id: string, title: string, files: Scenario['bundles']): Scenario {
  const scenario = alone(id, title, files);
  return { ...scenario, actions: [...scenario.actions.slice(0, -1), { rest: 'asked', until: failed }] };
}

const webhook = {
  type: 'ValidatingAdmissionWebhook',
  admissionReviewVersions: ['v1'],
  deploymentName: 'acme-widget-controller-manager',
  generateName: 'v.acme.example',
  sideEffects: 'None',
  failurePolicy: 'Fail',
  rules: [{ apiGroups: ['acme.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] }],
};
const apiService = { name: 'widgets', group: 'acme.example', version: 'v1', kind: 'Widget', deploymentName: 'acme' };
const openSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const scenarios: readonly Scenario[] = [
  {
    id: 'I01',
    title: 'a package is installed at the highest version of its catalog',
    bundles: { '1.0.0': bundle('1.0.0'), '1.1.0': bundle('1.1.0', { extra: [configMap('settings', { a: '1' })] }) },
    actions: [
      {
        publish: 'shop',
        catalog: catalogOf({ channels: { stable: ['1.0.0', { version: '1.1.0', replaces: '1.0.0' }] } }),
      },
      { apply: extension() },
      { rest: 'installed', until: settled },
    ],
  },
  {
    id: 'I02',
    title: 'there is no catalog; then there is one',
    bundles,
    actions: [{ apply: extension() }, { rest: 'none', until: failed }, offer, { rest: 'installed', until: settled }],
  },
  {
    id: 'I03',
    title: 'no catalog has the package',
    bundles,
    actions: [offer, { apply: extension({ packageName: 'gauge' }) }, { rest: 'none', until: failed }],
  },
  chosen('I04', 'an exact version', { version: '1.1.0' }),
  chosen('I05', 'a range with a comma', { version: '>=1.0.0, <1.2.0' }),
  chosen('I06', 'a wildcard', { version: '1.x' }),
  chosen('I07', 'a tilde', { version: '~1.1' }),
  chosen('I08', 'a caret', { version: '^1.0.0' }),
  chosen('I09', 'a version that no catalog has', { version: '3.0.0', until: failed }),
  chosen('I10', 'a channel', { channels: ['old'] }),
  chosen('I11', 'several channels', { channels: ['old', 'stable'] }),
  chosen('I12', 'a channel that does not exist', { channels: ['fast'], until: failed }),
  chosen('I13', 'a version that is not in the channel', { channels: ['old', 'fast'], version: '2.0.0', until: failed }),
  chosen('I14', 'a range of two alternatives', { version: '<1.1.0 || >=1.2.0 <2.0.0' }),
  chosen('I15', 'a version with a leading v', { version: 'v1.2.0' }),
  chosen('I16', 'a range that excludes a version', { version: '!=2.0.0' }),
  chosen('I17', 'a version of two parts', { version: '1.1' }),
  {
    id: 'I18',
    title: 'a prerelease is only chosen by a range with one, or where nothing is asked',
    bundles: { '1.0.0': bundle('1.0.0'), '1.1.0-rc.1': bundle('1.1.0-rc.1') },
    actions: [
      {
        publish: 'shop',
        catalog: catalogOf({ channels: { stable: ['1.0.0', { version: '1.1.0-rc.1', replaces: '1.0.0' }] } }),
      },
      { apply: extension({ catalog: { version: '>=1.0.0' } }) },
      { rest: 'release', until: settled },
      { apply: extension({ catalog: { version: '>=1.0.0-0' } }) },
      { rest: 'prerelease', until: ['1.1.0-rc.1', 'Desired state reached'] },
    ],
  },
  {
    id: 'I19',
    title: 'of versions that differ in build metadata the higher one is chosen',
    bundles: { '1.0.0+1': bundle('1.0.0+1'), '1.0.0+2': bundle('1.0.0+2') },
    actions: [
      {
        publish: 'shop',
        catalog: catalogOf({
          channels: { stable: ['1.0.0+1', '1.0.0+2'] },
          images: { '1.0.0+1': '1.0.0+1', '1.0.0+2': '1.0.0+2' },
        }),
      },
      { apply: extension() },
      { rest: 'asked', until: settled },
    ],
  },
  failing('I20', 'the image of the bundle does not exist', {}),
  failing('I21', 'the bundle has no ClusterServiceVersion', { '1.0.0': onlyConfigMap() }),
  failing('I22', 'the bundle owns an APIService', {
    '1.0.0': bundle('1.0.0', { csv: { apiservicedefinitions: { owned: [apiService] } } }),
  }),
  failing('I23', 'the bundle has webhooks', { '1.0.0': bundle('1.0.0', { csv: { webhookdefinitions: [webhook] } }) }),
  {
    id: 'I24',
    title: 'the namespace does not exist',
    bundles,
    actions: [
      offer,
      { apply: extension({ spec: { namespace: '$ns-missing' } }) },
      { rest: 'asked', until: ['Progressing'] },
    ],
  },
  {
    id: 'I25',
    title: 'the service account does not exist',
    bundles,
    actions: [
      offer,
      { apply: extension({ spec: { serviceAccount: { name: 'missing' } } }) },
      { rest: 'asked', until: ['Progressing'] },
    ],
  },
  {
    id: 'I26',
    title: 'no service account is named',
    bundles,
    actions: [offer, { apply: withoutAccount() }, { rest: 'asked', until: settled }],
  },
  alone('I27', 'a bundle with a CustomResourceDefinition', {
    '1.0.0': bundle('1.0.0', {
      csv: {
        customresourcedefinitions: { owned: [{ name: 'samples.samples.example.com', version: 'v1', kind: 'Sample' }] },
      },
      extra: [withoutStatus(sampleCrd([{ name: 'v1', schema: openSchema }]))],
    }),
  }),
  {
    id: 'I28',
    title: 'a bundle in no channel',
    bundles,
    actions: [
      { publish: 'shop', catalog: catalogOf({ channels: { stable: ['1.0.0'] }, images: { '2.0.0': '2.0.0' } }) },
      { apply: extension() },
      { rest: 'asked', until: settled },
    ],
  },
  failing('I29', 'a bundle that supports no install mode', { '1.0.0': bundle('1.0.0', { modes: '' }) }),
  failing('I30', 'a bundle that supports many namespaces only', { '1.0.0': bundle('1.0.0', { modes: 'M' }) }),
  failing('I31', 'a bundle with a kind that no operator may bring', {
    '1.0.0': bundle('1.0.0', {
      extra: [{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'job' }, spec: {} }],
    }),
  }),
  failing('I32', 'an object that the API server refuses', {
    '1.0.0': bundle('1.0.0', { extra: [configMap('Bad_Name', { a: '1' })] }),
  }),
  {
    id: 'I33',
    title: 'two packages beside one another',
    bundles: { '1.0.0': bundle('1.0.0'), gauge: other('1.0.0') },
    actions: [
      { publish: 'shop', catalog: catalogOf({ channels: { stable: ['1.0.0'] } }) },
      {
        publish: 'mall',
        catalog: catalogOf({ name: 'gauge', channels: { stable: ['1.0.0'] }, images: { '1.0.0': 'gauge' } }),
      },
      { apply: extension() },
      { apply: extension({ name: 'gauge', packageName: 'gauge' }) },
      { rest: 'both', until: ['tide.v1.0.0', 'gauge.v1.0.0'] },
    ],
  },
  {
    id: 'I34',
    title: 'an extension without a spec',
    actions: [
      {
        try: 'no spec',
        apply: { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', metadata: { name: 'tide' } },
      },
      { rest: 'asked' },
    ],
  },
];

function onlyConfigMap(): Record<string, string> {
  const { 'manifests/0.yaml': _csv, ...files } = bundle('1.0.0', { extra: [configMap('a', { a: '1' })] });
  return files;
}

function withoutAccount(): ReturnType<typeof extension> {
  const asked = extension();
  const { serviceAccount: _account, ...spec } = asked['spec'] as Record<string, never>;
  return { ...asked, spec };
}

function withoutStatus({ status: _status, ...crd }: ReturnType<typeof sampleCrd>): ReturnType<typeof sampleCrd> {
  return crd;
}

/** Another operator: its objects have names of their own. */
function other(version: string): Record<string, string> {
  const files = bundle(version, { packageName: 'gauge' });
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.replaceAll('acme-widget', 'acme-gauge')]),
  );
}
