import type { JsonObject } from '../../../src/base/index.ts';
import {
  apply,
  crd,
  csvTarget,
  deployment,
  group,
  installModes,
  namespaceTarget,
  rest,
  succeeded,
} from '../objects.ts';
import type { Action, Scenario } from '../scenario.ts';
import { boatRule, servingCsv, servingDeployment, webhook } from '../serving-objects.ts';

const namespaces = ['a'];
const version1 = 'boat.v0.1.0';
const version2 = 'boat.v0.2.0';
const withWebhook = [...apply(group(), crd(), servingCsv({ webhooks: [webhook()] })), rest('installed', succeeded())];
const conversion = (options: JsonObject): JsonObject => {
  const { rules: _rules, failurePolicy: _failurePolicy, ...usual } = webhook();
  const conversionCRDs = ['boats.$id.example.com'];
  return { ...usual, type: 'ConversionWebhook', conversionCRDs, webhookPath: '/convert', ...options };
};
const converting = (options: JsonObject, modes: readonly string[]): Action[] =>
  apply(servingCsv({ webhooks: [conversion(options)] }, { spec: { installModes: installModes(...modes) } }));

/** Webhooks of admission and of conversion. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'I8',
    title: 'the configuration of a webhook is edited',
    namespaces,
    actions: [
      ...apply(group(), crd(), servingCsv({ webhooks: [webhook({ timeoutSeconds: 5 })] })),
      rest('installed', succeeded()),
      {
        patch: csvTarget(version1),
        merge: { spec: { webhookdefinitions: [webhook({ timeoutSeconds: 7 })] } },
      },
      rest('edited'),
    ],
  },
  {
    id: 'E-053a',
    title: 'a CSV with a webhook is a member of a group that selects namespaces',
    namespaces,
    actions: [
      { patch: namespaceTarget('a'), merge: { metadata: { labels: { of: '$id' } } } },
      ...apply(group({ targets: [], spec: { selector: { matchLabels: { of: '$id' } } } }), crd()),
      ...apply(servingCsv({ webhooks: [webhook()] })),
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'E-053b',
    title: 'a CSV with a webhook is a member of a global group',
    namespaces,
    actions: [
      ...apply(group({ targets: [] }), crd(), servingCsv({ webhooks: [webhook()] })),
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'E-053c',
    title: 'a CSV has a mutating webhook with all fields',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(
        servingCsv({
          webhooks: [
            webhook({
              type: 'MutatingAdmissionWebhook',
              containerPort: 8443,
              targetPort: 9443,
              webhookPath: '/mutate',
              timeoutSeconds: 7,
              failurePolicy: 'Fail',
              matchPolicy: 'Exact',
              reinvocationPolicy: 'IfNeeded',
              objectSelector: { matchLabels: { color: 'blue' } },
              sideEffects: 'NoneOnDryRun',
            }),
          ],
        }),
      ),
      rest('installed', succeeded()),
    ],
  },
  {
    id: 'E-053d',
    title: 'a CSV with two webhooks loses one, then is deleted',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(servingCsv({ webhooks: [webhook(), webhook({ generateName: 'v.$id.example.com' })] })),
      rest('two', succeeded()),
      { patch: csvTarget(version1), merge: { spec: { webhookdefinitions: [webhook()] } } },
      rest('one', succeeded()),
      { delete: csvTarget(version1) },
      rest('deleted'),
    ],
  },
  {
    id: 'E-054b',
    title: 'a webhook intercepts other resources of the admission group',
    namespaces,
    actions: [
      ...apply(group(), crd()),
      ...apply(
        servingCsv({
          webhooks: [
            webhook({
              rules: [
                {
                  ...boatRule,
                  apiGroups: ['admissionregistration.k8s.io'],
                  resources: ['validatingadmissionpolicies'],
                },
              ],
            }),
          ],
        }),
      ),
      rest('accepted', succeeded()),
    ],
  },
  {
    id: 'E-056a',
    title: 'the Deployment of a webhook is edited while the certificate is fresh',
    namespaces,
    actions: [
      ...withWebhook,
      {
        patch: csvTarget(version1),
        merge: {
          spec: { install: { spec: { deployments: [deployment(servingDeployment, 'registry.example/boat:2')] } } },
        },
      },
      rest('edited', succeeded()),
    ],
  },
  {
    id: 'E-056b',
    title: 'the CSV of a webhook is replaced',
    namespaces,
    actions: [
      ...withWebhook,
      ...apply(servingCsv({ webhooks: [webhook()] }, { name: version2, spec: { replaces: version1 } })),
      rest('replaced', { of: csvTarget(version1), isAbsent: true }),
    ],
  },
  {
    id: 'E-057a',
    title: 'a conversion webhook converts the owned CRD, then the CSV is deleted',
    namespaces,
    actions: [
      ...apply(group({ targets: [] }), crd()),
      ...converting({}, ['AllNamespaces']),
      rest('installed', succeeded()),
      { delete: csvTarget(version1) },
      rest('deleted'),
    ],
  },
  {
    id: 'E-057b',
    title: 'a conversion webhook converts a CRD that the CSV does not own',
    namespaces,
    actions: [
      ...apply(group({ targets: [] }), crd(), crd('Dock')),
      ...converting({ conversionCRDs: ['docks.$id.example.com'] }, ['AllNamespaces']),
      rest('refused'),
    ],
  },
  {
    id: 'E-057c',
    title: 'the CSV of a conversion webhook supports other install modes too',
    namespaces,
    actions: [
      ...apply(group({ targets: [] }), crd()),
      ...converting({}, ['AllNamespaces', 'OwnNamespace']),
      rest('refused'),
    ],
  },
  {
    id: 'E-057d',
    title: 'a conversion webhook names no CRD',
    namespaces,
    actions: [
      ...apply(group({ targets: [] }), crd()),
      ...converting({ conversionCRDs: [] }, ['AllNamespaces']),
      rest('settled'),
    ],
  },
];
