import { describe, expect, test } from 'vitest';
import {
  shownFinding,
  type TestFiles,
  testBundle,
  tideCsv,
  tideFiles,
  validateBundle,
} from '../../../test/support/checked-bundle.ts';
import { formatYaml, isJsonObject, type JsonObject, objectAt, parseYaml } from '../../base/index.ts';
import type { CheckContext } from '../check.ts';

const csvFile = 'manifests/tide-gauge.clusterserviceversion.yaml';

/** The operator's CSV with other members of `spec` and `metadata`. */
function csvWith(spec: JsonObject, metadata: JsonObject = {}): TestFiles {
  const csv = parseYaml('csv', tideCsv);
  if (!isJsonObject(csv)) throw new Error('expected an object');
  const changed = {
    ...csv,
    metadata: { ...objectAt(csv, 'metadata'), ...metadata },
    spec: { ...objectAt(csv, 'spec'), ...spec },
  };
  return { ...tideFiles, [csvFile]: formatYaml(changed) };
}

function annotatedCsv(annotations: JsonObject): TestFiles {
  return csvWith({}, { annotations });
}

/** The messages of the checks of the suite, without places. */
function messagesOf(files: TestFiles, suite: string, context: Partial<CheckContext> = {}): readonly string[] {
  const options = { select: [suite], context };
  return validateBundle(testBundle(files), options).map(({ severity, id, message }) => `${severity} ${id} ${message}`);
}

function withRules(...rules: readonly JsonObject[]): TestFiles {
  const install = objectAt(parseYaml('csv', tideCsv) as JsonObject, 'spec', 'install', 'spec') ?? {};
  const clusterPermissions = [{ serviceAccountName: 'tide-gauge', rules: [...rules] }];
  return csvWith({ install: { strategy: 'deployment', spec: { ...install, clusterPermissions } } });
}

function shipping(object: JsonObject): TestFiles {
  return { ...tideFiles, 'manifests/z.yaml': object };
}

const budget = (spec: JsonObject, apiVersion = 'policy/v1'): TestFiles =>
  shipping({ apiVersion, kind: 'PodDisruptionBudget', metadata: { name: 'gauge-pdb' }, spec });

describe('operatorhub', () => {
  const complete: JsonObject = {
    provider: { name: 'Tide' },
    version: '0.4.0',
    minKubeVersion: '1.25.0',
    icon: [{ base64data: 'aGk=', mediatype: 'image/png' }],
  };
  const bad: readonly { readonly name: string; readonly spec: JsonObject; readonly texts: readonly string[] }[] = [
    { name: 'a complete CSV: nothing', spec: {}, texts: [] },
    {
      name: 'no provider: H1',
      spec: { provider: { name: ' ' } },
      texts: ['error H1 csv.Spec.Provider.Name not specified'],
    },
    {
      name: 'a maintainer without email: H2',
      spec: { maintainers: [{ name: 'Ada' }] },
      texts: ['error H2 csv.Spec.Maintainers elements should contain both name and email'],
    },
    {
      name: 'a bad address: H3',
      spec: { maintainers: [{ name: 'Ada', email: 'ada' }] },
      texts: ["error H3 csv.Spec.Maintainers email ada is invalid: mail: missing '@' or angle-addr"],
    },
    {
      name: 'a link without name: H4',
      spec: { links: [{ url: 'https://tide.example' }] },
      texts: ['error H4 csv.Spec.Links elements should contain both name and url'],
    },
    {
      name: 'BF-H3 link foo',
      spec: { links: [{ name: 'Foo', url: 'foo' }] },
      texts: ['error H5 csv.Spec.Links url foo is invalid: parse "foo": invalid URI for request'],
    },
    { name: 'no version: H6', spec: { version: '' }, texts: ['error H6 csv.Spec.Version must be set'] },
    { name: 'BF-H2 version 0.0.0', spec: { version: '0.0.0' }, texts: ['error H6 csv.Spec.Version must be set'] },
    { name: 'BF-H1 icon: []', spec: { icon: [] }, texts: ['warning H7 csv.Spec.Icon not specified'] },
    {
      name: 'two icons: H8',
      spec: { icon: [1, 2].map(() => ({ base64data: 'aGk=', mediatype: 'image/png' })) },
      texts: ['error H8 csv.Spec.Icon should only have one element'],
    },
    {
      name: 'an icon without data: H9',
      spec: { icon: [{ mediatype: 'image/png' }] },
      texts: ['error H9 csv.Spec.Icon elements should contain both data and mediatype'],
    },
    {
      name: 'an icon of another type: H10',
      spec: { icon: [{ base64data: 'aGk=', mediatype: 'image/webp' }] },
      texts: ['error H10 csv.Spec.Icon image/webp does not have a valid mediatype'],
    },
    {
      name: 'an icon that is no base64: H13 (deviation)',
      spec: { icon: [{ base64data: '<svg/>', mediatype: 'image/png' }] },
      texts: ['warning H13 csv.Spec.Icon data is not valid base64'],
    },
    {
      name: 'a minKubeVersion of two numbers: H11, H12',
      spec: { minKubeVersion: '1.22' },
      texts: [
        'error H11 csv.Spec.MinKubeVersion has an invalid value: 1.22',
        'error H12 unable to use csv.Spec.MinKubeVersion to verify the CRD/Webhook apis because it has an invalid value: 1.22',
      ],
    },
  ];

  test.each(bad)('$name', ({ spec, texts }) => {
    expect(messagesOf(csvWith({ ...complete, ...spec }), 'operatorhub')).toEqual(texts);
  });

  test('members of wrong types end nothing', () => {
    const files = csvWith({ ...complete, links: 'x', maintainers: [1], icon: { a: 1 }, provider: [] });
    expect(messagesOf(files, 'operatorhub').map((line) => line.split(' ')[1])).toEqual(['H1', 'H7', 'H2']);
  });

  test('reports file, line and column', () => {
    const found = validateBundle(testBundle(csvWith({ ...complete, version: '0.0.0' })), { select: ['H6'] });
    expect(found.map(shownFinding)).toEqual([`${csvFile}:7:3 error H6 csv.Spec.Version must be set`]);
  });
});

describe('words of catalogues', () => {
  test('BF-H4 categories `Storage, Foo`', () => {
    expect(messagesOf(annotatedCsv({ categories: 'Storage, Foo' }), 'categories')).toEqual([
      'error CAT1 csv.Metadata.Annotations["categories"] value " Foo" is not in the set of standard categories',
    ]);
  });

  test('categories of one’s own take the place of the standard ones', () => {
    expect(messagesOf(annotatedCsv({ categories: 'Tides,Storage' }), 'categories', { categories: ['Tides'] })).toEqual([
      'error CAT1 csv.Metadata.Annotations["categories"] value "Storage" is not in the set of custom categories',
    ]);
  });

  test('BF-H5 capabilities `Auto pilot`', () => {
    expect(messagesOf(annotatedCsv({ capabilities: 'Auto pilot' }), 'capabilities')).toEqual([
      'error CAP1 csv.Metadata.Annotations.Capabilities "Auto pilot" is not a valid capabilities level',
    ]);
    expect(messagesOf(annotatedCsv({ capabilities: 'Auto Pilot' }), 'capabilities')).toEqual([]);
  });
});

describe('removed APIs', () => {
  const old = budget({ maxUnavailable: 1 }, 'policy/v1beta1');
  const text =
    'DEP125 this bundle is using APIs which were deprecated and removed in v1.25. More info: https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v1-25. Migrate the API(s) for PodDisruptionBudget: (["gauge-pdb"])';

  test('BF-X1 a PodDisruptionBudget of policy/v1beta1, no versions', () => {
    expect(messagesOf(old, 'deprecated-apis')).toEqual([`warning ${text}`]);
  });

  test('BF-X2 the same with the release 1.25', () => {
    expect(messagesOf(old, 'deprecated-apis', { kubernetesVersion: '1.25' })).toEqual([`error ${text}`]);
    expect(messagesOf(old, 'deprecated-apis', { kubernetesVersion: 'v1.24.3' })).toEqual([`warning ${text}`]);
  });

  test('an error where minKubeVersion is 1.25', () => {
    const files = { ...csvWith({ minKubeVersion: '1.25.0' }), 'manifests/z.yaml': old['manifests/z.yaml'] };
    expect(messagesOf(files, 'deprecated-apis')).toEqual([`error ${text}`]);
  });

  test('kinds come sorted, each with its names', () => {
    const apiVersion = 'rbac.authorization.k8s.io/v1beta1';
    const roles = ['b', 'a'].map((name) => ({ apiVersion, kind: 'Role', metadata: { name } }));
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'c' },
    };
    const [found = ''] = messagesOf(shipping({ apiVersion: 'v1', kind: 'List', items: [...roles, crd] }), 'DEP122');
    expect(found).toContain('Migrate the API(s) for CRD: (["c"]),Role: (["b" "a"])');
  });

  test('BF-X3 RBAC on cronjobs', () => {
    const rule = { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['*'] };
    expect(messagesOf(withRules(rule), 'deprecated-apis')).toEqual([]);
  });

  test('BF-X4 RBAC on podsecuritypolicies', () => {
    const rule = { apiGroups: ['policy'], resources: ['podsecuritypolicies'], verbs: ['use'] };
    const [found = '', ...more] = messagesOf(withRules(rule), 'deprecated-apis', { kubernetesVersion: '1.30' });
    expect(more).toEqual([]);
    expect(found).toMatch(/^warning DEP3 .* removed in v1\.25\./);
    expect(found).toContain(
      'podsecuritypolicies: (["ClusterServiceVersion.Spec.InstallStrategy.StrategySpec.ClusterPermissions[0].Rules[0]"])',
    );
  });

  test('APIs that a CRD description names count', () => {
    const resources = [{ kind: 'CronJob', name: '', version: 'batch/v1beta1' }];
    const owned = [{ name: 'gauges.tide.example', version: 'v1', kind: 'Gauge', resources }];
    const [found = ''] = messagesOf(csvWith({ customresourcedefinitions: { owned } }), 'deprecated-apis');
    expect(found).toContain('CronJob: (["ClusterServiceVersion.Spec.CustomResourceDefinitions.Owned[0].Resource[0]"])');
  });

  test('BF-X5 the release `abc`', () => {
    expect(messagesOf(tideFiles, 'deprecated-apis', { kubernetesVersion: 'abc' })).toEqual([
      'error DEP1 invalid value informed via the k8s key option : abc',
    ]);
  });

  test('community wants bundles with them kept from OpenShift 4.9', () => {
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'c' },
    };
    const ids = (files: TestFiles): readonly string[] =>
      messagesOf(files, 'community').map((line) => line.split(' ')[1] ?? '');
    expect(ids(tideFiles)).toEqual([]);
    expect(ids(shipping(crd)).toSorted()).toEqual(['CO1', 'CO2', 'CO3']);
    const annotations = `${tideFiles['metadata/annotations.yaml']}  com.redhat.openshift.versions: v4.6-v4.8\n`;
    const properties = { properties: [{ type: 'olm.maxOpenShiftVersion', value: '4.8' }] };
    const kept = { 'metadata/annotations.yaml': annotations, 'metadata/properties.yaml': properties };
    expect(ids({ ...shipping(crd), ...kept })).toEqual(['CO1']);
    const annotated = csvWith({}, { annotations: { 'olm.properties': JSON.stringify(properties.properties) } });
    expect(ids({ ...shipping(crd), ...annotated, 'metadata/annotations.yaml': annotations })).toEqual(['CO1']);
  });
});

describe('good practices', () => {
  const named = (name: string, spec: JsonObject = {}): readonly string[] =>
    messagesOf(csvWith(spec, { name }), 'good-practices').flatMap((line) => /GP[67]/.exec(line)?.[0] ?? []);

  test('BF-G1 a container without requests', () => {
    const [found = ''] = messagesOf(tideFiles, 'GP2');
    expect(found).toMatch(/^warning GP2 unable to find the resource requests for the container: \(manager\)\. It is/);
  });

  test('BF-G2 name `tide-gauge.1.0.0`', () => {
    expect(named('tide-gauge.1.0.0')).toEqual(['GP7']);
  });

  test('BF-B7 a release-versioned name', () => {
    expect(named('tide-gauge-v1.0.0-2', { release: '2' })).toEqual([]);
  });

  test.each([
    { name: 'tide-gauge.v1.0.0', ids: [] },
    { name: 'k8s-gauge.v1.0.0-rc.1+4', ids: [] },
    { name: 'tide-gauge.v1.0', ids: ['GP6'] },
    { name: 'tide-gauge.v1.2.3.4', ids: ['GP6'] },
    { name: 'tide-gauge', ids: ['GP6', 'GP7'] },
  ])('for the name $name it reports $ids', ({ name, ids }) => {
    expect(named(name)).toEqual(ids);
  });

  test('no deployments, a CRD without description, odd channels, permission to create CRDs', () => {
    const rule = { apiGroups: ['apiextensions.k8s.io'], resources: ['*'], verbs: ['create'] };
    const install = { strategy: 'deployment', spec: { deployments: [], permissions: [{ rules: [rule] }] } };
    const annotations = tideFiles['metadata/annotations.yaml'].replace('stable,candidate', 'stable-v1,alpha');
    const found = messagesOf({ ...csvWith({ install }), 'metadata/annotations.yaml': annotations }, 'good-practices');
    expect(found).toEqual([
      'warning GP3 owned CRD "gauges.tide.example" has an empty description',
      'error GP1 unable to find a deployment to install in the CSV',
      expect.stringMatching(/^warning GP5 CSV contains permissions to create CRD\. .*operators\. {2}Please, review/),
      'warning GP4 channel(s) ["alpha"] are not following the recommended naming convention: https://olm.operatorframework.io/docs/best-practices/channel-naming',
    ]);
  });
});

describe('objects', () => {
  test('BF-O1 a PodDisruptionBudget with maxUnavailable 25%', () => {
    expect(messagesOf(budget({ maxUnavailable: '25%' }), 'objects')).toEqual([]);
    expect(messagesOf(budget({ maxUnavailable: 1 }), 'objects')).toEqual([]);
  });

  test.each([0, '0%'])('a PodDisruptionBudget with maxUnavailable %j: O1', (maxUnavailable) => {
    expect(messagesOf(budget({ maxUnavailable }), 'objects')).toEqual([
      'error O1 maxUnavailable field cannot be set to 0 or 0%',
    ]);
  });

  test('BF-O2 a PodDisruptionBudget with minAvailable 100%', () => {
    expect(messagesOf(budget({ minAvailable: '100%' }), 'objects')).toEqual([
      'error O2 minAvailable field cannot be set to 100%',
    ]);
  });

  test('BF-O3 a PriorityClass with globalDefault', () => {
    const priority = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'p' } };
    expect(messagesOf(shipping({ ...priority, value: 1, globalDefault: true }), 'objects')).toEqual([
      'error O3 globalDefault field cannot be set to true',
    ]);
  });

  const scc = { apiGroups: ['security.openshift.io'], resources: ['securitycontextconstraints'] };
  const o5 =
    'error O5 RBAC includes permission to modify default securitycontextconstraints, which could impact cluster stability';

  test('BF-O4 a ClusterRole updating the SCC anyuid', () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' } };
    const rules = [{ ...scc, resourceNames: ['anyuid'], verbs: ['update'] }];
    expect(messagesOf(shipping({ ...role, rules }), 'objects')).toEqual([o5]);
  });

  test('permissions of the CSV and `*` count, too (deviation)', () => {
    expect(
      messagesOf(withRules({ ...scc, resources: ['*'], resourceNames: ['nonroot'], verbs: ['*'] }), 'objects'),
    ).toEqual([o5]);
    expect(messagesOf(withRules({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }), 'objects')).toEqual([
      'warning O4 RBAC includes permission to create/update poddisruptionbudgets, which could impact cluster stability',
    ]);
    expect(messagesOf(withRules({ ...scc, resourceNames: ['anyuid'], verbs: ['use'] }), 'objects')).toEqual([]);
  });

  test('what has not the form of its kind: O6, with the field', () => {
    expect(messagesOf(budget({ minAvailable: true }), 'objects')).toEqual([
      'error O6 error unmarshaling poddisruptionbudget: spec.minAvailable: expected an integer or a text',
    ]);
  });
});
