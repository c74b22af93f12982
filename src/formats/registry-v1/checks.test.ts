import { expect, test } from 'vitest';
import { acmeCsv, installModes, registryFiles } from '../../../test/support/index.ts';
import type { JsonObject } from '../../base/index.ts';
import { findProblems } from './checks.ts';
import { findInstallProblems } from './install-checks.ts';
import { readRegistryBundle } from './read.ts';

const manager = 'acme-widget-controller-manager';

function problems(
  csv: JsonObject,
  others: readonly JsonObject[] = [],
  metadata: Readonly<Record<string, string>> = {},
): readonly string[] {
  const bundle = readRegistryBundle(registryFiles([csv, ...others], metadata));
  return [...findProblems(bundle), ...findInstallProblems(bundle)];
}

const pod = { selector: {}, template: {} };

function withDeployments(names: readonly string[], spec: JsonObject = {}): JsonObject {
  const deployments = names.map((name) => ({ name, spec: pod }));
  return acmeCsv({ install: { strategy: 'deployment', spec: { deployments } }, ...spec });
}

function withContainers(count: number): JsonObject {
  const containers = Array.from({ length: count }, (_, index) => ({ name: `c${index}` }));
  const deployments = [{ name: manager, spec: { selector: {}, template: { spec: { containers } } } }];
  return acmeCsv({ install: { strategy: 'deployment', spec: { deployments } } });
}

function webhook(members: JsonObject = {}): JsonObject {
  return {
    type: 'ValidatingAdmissionWebhook',
    generateName: 'v.acme.example',
    deploymentName: manager,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...members,
  };
}

const conversion = (members: JsonObject = {}): JsonObject =>
  webhook({ type: 'ConversionWebhook', generateName: 'c.acme.example', ...members });
const withWebhooks = (...webhookdefinitions: JsonObject[]): JsonObject => acmeCsv({ webhookdefinitions });
const ownedCrds = (...names: string[]): JsonObject => ({
  customresourcedefinitions: { owned: names.map((name) => ({ name, version: 'v1', kind: 'X' })) },
});
const crd = (name: string): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: {},
});
const rule = (apiGroups: string[], resources: string[] = ['pods']): JsonObject => ({
  rules: [{ apiGroups, resources }],
});
const forbidden = 'webhook "v.acme.example" contains forbidden rule: admission webhook rules cannot reference';
const subdomain =
  /^invalid cluster service version strategy deployment name 'A_b': a lowercase RFC 1123 subdomain must consist/;
const everywhere = { installModes: installModes('A') };

test.for<[string, JsonObject, JsonObject[], (string | RegExp)[]]>([
  [
    'RV-V1 a Deployment twice',
    withDeployments(['m', 'm']),
    [],
    ["cluster service version contains duplicate strategy deployment spec 'm'"],
  ],
  ['RV-V2 a Deployment with a bad name', withDeployments(['A_b']), [], [subdomain]],
  [
    'RV-V2 a Deployment with a bad and long name',
    withDeployments([`${'a'.repeat(253)}_`]),
    [],
    [/regex used for validation is .*, must be no more than 253 characters$/],
  ],
  [
    'RV-V3 a CRD twice',
    acmeCsv(),
    [crd('x.acme.example'), crd('x.acme.example')],
    ["bundle contains duplicate custom resource definition 'x.acme.example'"],
  ],
  [
    'RV-V4 an owned CRD that is not there',
    acmeCsv(ownedCrds('x.acme.example')),
    [],
    ["cluster service definition references owned custom resource definition 'x.acme.example' not found in bundle"],
  ],
  [
    'RV-V6 a conversion webhook where not only all namespaces are supported',
    acmeCsv({
      ...ownedCrds('x.acme.example'),
      installModes: installModes('AM'),
      webhookdefinitions: [conversion({ conversionCRDs: ['x.acme.example'] })],
    }),
    [crd('x.acme.example')],
    [
      'bundle contains conversion webhook "c.acme.example" and supports install modes [AllNamespaces MultiNamespace] - conversion webhooks are only supported for bundles that only support AllNamespaces install mode',
    ],
  ],
  [
    'RV-V7 a webhook of a Deployment that is not there',
    withWebhooks(webhook({ deploymentName: 'other' })),
    [],
    [
      "webhook of type 'ValidatingAdmissionWebhook' with name 'v.acme.example' references non-existent deployment 'other'",
    ],
  ],
  [
    'RV-V8 a webhook twice',
    withWebhooks(webhook(), webhook(), webhook({ type: 'MutatingAdmissionWebhook' })),
    [],
    ["duplicate webhook 'v.acme.example' of type 'ValidatingAdmissionWebhook'"],
  ],
  [
    'RV-V9, RV-W5 a webhook with a bad name',
    withWebhooks(webhook({ generateName: 'x-' })),
    [],
    [/^webhook of type 'ValidatingAdmissionWebhook' has invalid name 'x-': a lowercase RFC 1123 subdomain/],
  ],
  [
    'RV-V10 a CRD of two conversion webhooks',
    acmeCsv({
      ...ownedCrds('x.acme.example'),
      ...everywhere,
      webhookdefinitions: ['c2.acme.example', 'c1.acme.example'].map((generateName) =>
        conversion({ generateName, conversionCRDs: ['x.acme.example'] }),
      ),
    }),
    [crd('x.acme.example')],
    [
      "conversion webhooks [c1.acme.example,c2.acme.example] reference same custom resource definition 'x.acme.example'",
    ],
  ],
  [
    'RV-V11 a conversion of a CRD that is not owned',
    acmeCsv({ ...everywhere, webhookdefinitions: [conversion({ conversionCRDs: ['x.acme.example'] })] }),
    [],
    ["conversion webhook 'c.acme.example' references custom resource definition 'x.acme.example' not owned bundle"],
  ],
  ['RV-V12 a rule for every group', withWebhooks(webhook(rule(['*']))), [], [`${forbidden} API group "*"`]],
  [
    'RV-V12 a rule for webhook configurations, by a subresource',
    withWebhooks(
      webhook(rule(['admissionregistration.k8s.io'], ['ValidatingWebhookConfigurations/status', '*/*', 'x'])),
    ),
    [],
    [
      `${forbidden} resource "ValidatingWebhookConfigurations/status" for API group "admissionregistration.k8s.io"`,
      `${forbidden} resource "*/*" for API group "admissionregistration.k8s.io"`,
    ],
  ],
  [
    'RV-V12 a rule for Bundles',
    withWebhooks(webhook(rule(['core.rukpak.io']))),
    [],
    [`${forbidden} API group "core.rukpak.io"`],
  ],
  [
    'RV-V13 a kind that the format does not allow',
    acmeCsv(),
    [{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web' } }],
    ['unsupported resource "web" with kind "Ingress"'],
  ],
  [
    'RV-W3 one container port, two target ports',
    withWebhooks(webhook({ targetPort: 1 }), webhook({ generateName: 'w.acme.example', targetPort: 2 })),
    [],
    [`webhooks of deployment '${manager}' lead container port 443 to different target ports`],
  ],
  [
    'RV-N24 a Service name of 64 characters',
    withDeployments(['x'.repeat(56)], { webhookdefinitions: [webhook({ deploymentName: 'x'.repeat(56) })] }),
    [],
    [/^deployment 'x{56}' is called by a Service whose name 'x{56}-service' has more than 63 characters/],
  ],
  [
    'two Deployments with one Service name',
    withDeployments(['a.b', 'a-b'], {
      webhookdefinitions: [
        webhook({ deploymentName: 'a.b' }),
        webhook({ generateName: 'w.acme.example', deploymentName: 'a-b' }),
      ],
    }),
    [],
    ["deployments 'a.b', 'a-b' would be called by the same Service 'a-b-service'"],
  ],
  [
    'another install strategy',
    acmeCsv({ install: { strategy: 'helm', spec: { deployments: [] } } }),
    [],
    ["install strategy is 'helm', expected 'deployment'", /^cluster service version has no deployments/],
  ],
  [
    'an operator without Deployments',
    acmeCsv({ install: { strategy: 'deployment', spec: { deployments: [] } } }),
    [],
    ['cluster service version has no deployments, expected at least one in spec.install.spec.deployments'],
  ],
  [
    'an object without a name',
    acmeCsv(),
    [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }],
    ['bundle contains an object of kind "ConfigMap" without metadata.name'],
  ],
  [
    'a bad name that two webhooks have, once',
    withWebhooks(webhook({ generateName: 'Bad' }), webhook({ generateName: 'Bad' })),
    [],
    ["duplicate webhook 'Bad' of type 'ValidatingAdmissionWebhook'", /^webhook of type .* has invalid name 'Bad'/],
  ],
  [
    'a name with quotes, as Go prints it',
    acmeCsv(),
    [{ apiVersion: 'v1', kind: 'Odd', metadata: { name: 'a"\n' } }],
    ['unsupported resource "a\\"\\n" with kind "Odd"'],
  ],
  [
    'a name of the ClusterServiceVersion that no role can have',
    acmeCsv({}, { name: 'acme/v1' }),
    [],
    [/^cluster service version has the name 'acme\/v1', expected one without/],
  ],
  [
    'a ServiceAccount with a bad name',
    acmeCsv({
      install: {
        strategy: 'deployment',
        spec: { deployments: [], permissions: [{ serviceAccountName: 'Bad_Name', rules: [] }] },
      },
    }),
    [],
    [
      /^cluster service version has no deployments/,
      /^invalid service account name 'Bad_Name': a lowercase RFC 1123 subdomain/,
    ],
  ],
  [
    'an owned API without a Deployment, and one whose Service has too long a name',
    withDeployments(['x'.repeat(56)], {
      apiservicedefinitions: {
        owned: [
          { name: 'a', group: 'a.example', version: 'v1', kind: 'A', deploymentName: 'none' },
          { name: 'b', group: 'b.example', version: 'v1', kind: 'B', deploymentName: 'x'.repeat(56) },
        ],
      },
    }),
    [],
    [/is called by a Service whose name/, "owned API 'v1.a.example' references non-existent deployment 'none'"],
  ],
  [
    'a selector that selects other Pods',
    acmeCsv({
      install: {
        strategy: 'deployment',
        spec: { deployments: [{ name: 'a', spec: { selector: { matchLabels: { a: 'b' } }, template: {} } }] },
      },
    }),
    [],
    ["deployment 'a': spec.selector.matchLabels does not match the labels of its Pod template"],
  ],
  [
    'a webhook of an unknown type',
    withWebhooks(webhook({ type: 'Validating' })),
    [],
    [
      /^webhook of type 'Validating' with name 'v.acme.example': the type is unknown: expected ValidatingAdmissionWebhook, /,
    ],
  ],
  [
    'a webhook whose name has fewer parts than the API server asks for',
    withWebhooks(webhook({ generateName: 'acme.example' })),
    [],
    [/with name 'acme.example': expected a name of at least 3 parts with dots between them/],
  ],
  [
    'a webhook that lacks what the API server asks for',
    withWebhooks(webhook({ sideEffects: null, admissionReviewVersions: [] })),
    [],
    [/lacks sideEffects$/, /lacks admissionReviewVersions$/],
  ],
])('%s is reported', ([_name, csv, others, texts]) => {
  const found = problems(csv, others);
  expect(found).toHaveLength(texts.length);
  for (const [index, text] of texts.entries()) expect(found[index]).toMatch(text instanceof RegExp ? text : text);
});

test('RV-V5 a bundle without a package name is refused', () => {
  expect(problems(acmeCsv(), [], { 'annotations.yaml': '{}' })).toEqual(['package name is empty']);
});

test('RV-V14 everything that is wrong is reported at once, in order', () => {
  const csv = withDeployments(['m', 'm'], {
    ...ownedCrds('x.acme.example'),
    webhookdefinitions: [webhook({ deploymentName: 'm', ...rule(['*']) })],
  });
  const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web' } };
  const bundle = readRegistryBundle(registryFiles([csv, ingress], { 'annotations.yaml': '{}' }));
  expect(findProblems(bundle)).toEqual([
    "cluster service version contains duplicate strategy deployment spec 'm'",
    "cluster service definition references owned custom resource definition 'x.acme.example' not found in bundle",
    'package name is empty',
    `${forbidden} API group "*"`,
    'unsupported resource "web" with kind "Ingress"',
  ]);
});

test('a good bundle has no problems, and a name of a million characters takes no time', () => {
  expect(problems(withWebhooks(webhook()))).toEqual([]);
  expect(problems(withDeployments(['a'.repeat(1_000_000)]))).toHaveLength(1);
});

test('what an operator has very many of is refused, before each is compared with all', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `a${index}`);
  const apis = (count: number): JsonObject =>
    acmeCsv({
      apiservicedefinitions: {
        owned: names(count).map((name) => ({ name, group: name, kind: 'A', version: 'v1', deploymentName: manager })),
      },
    });
  const refusal = (counted: string, most: number): string =>
    `the operator has ${counted}, at most ${most} are allowed: split the operator`;
  expect(problems(apis(200))).toEqual([]);
  expect(problems(apis(201))).toEqual([refusal('201 owned APIServices', 200)]);
  expect(problems(withDeployments(names(101)))).toEqual([refusal('101 deployments', 100)]);
  const webhooks = names(201).map((name) => webhook({ generateName: `${name}.acme.example` }));
  expect(problems(withWebhooks(...webhooks))).toEqual([refusal('201 webhookdefinitions', 200)]);
  expect(problems(withContainers(1_000))).toEqual([]);
  expect(problems(withContainers(1_001))).toEqual([refusal('1001 containers', 1_000)]);
});
