import { expect, test } from 'vitest';
import { parseClusterServiceVersion } from '../../../api/index.ts';
import type { JsonObject } from '../../../base/index.ts';
import { webhookFault } from './webhook-rules.ts';

function faultOf(...rules: readonly (readonly JsonObject[])[]): string | undefined {
  const webhookdefinitions = rules.map((each, index) => ({
    generateName: `w${index}.example.com`,
    type: 'ValidatingAdmissionWebhook',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    rules: [...each],
  }));
  const spec = { displayName: 'Boat', install: { strategy: 'deployment' }, webhookdefinitions };
  const { apiVersion, kind } = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
  return webhookFault(parseClusterServiceVersion({ apiVersion, kind, metadata: { name: 'boat' }, spec }));
}

const configurations = 'MutatingWebhookConfiguration or ValidatingWebhookConfiguration resources';

interface Row {
  readonly rule: JsonObject;
  readonly expected: string | undefined;
}

const ofAdmission = (resource: string): JsonObject => {
  return { apiGroups: ['admissionregistration.k8s.io'], resources: [resource] };
};
const refused = [
  '*',
  '*/*',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
];

const rows: readonly Row[] = [
  { rule: { apiGroups: ['*'], resources: ['boats'] }, expected: 'webhook rules cannot include all groups' },
  {
    rule: { apiGroups: ['apps', 'operators.coreos.com'], resources: ['*'] },
    expected: 'webhook rules cannot include the OLM group',
  },
  ...refused.map((resource) => {
    return { rule: ofAdmission(resource), expected: `webhook rules cannot include ${configurations}` };
  }),
  { rule: ofAdmission('validatingadmissionpolicies'), expected: undefined },
  { rule: { apiGroups: ['', 'example.com'], resources: ['*'] }, expected: undefined },
  { rule: {}, expected: undefined },
];

test.each(rows)('T6 a rule $rule: $expected', ({ rule, expected }) => {
  expect(faultOf([{ apiGroups: ['example.com'], resources: ['boats'] }, rule])).toBe(expected);
});

test('T5 two webhooks of one name are refused, whatever their rules', () => {
  const spec = { displayName: 'Boat', install: { strategy: 'deployment' } };
  const one = {
    generateName: 'w.example.com',
    type: 'ValidatingAdmissionWebhook',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const csv = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'boat' },
  };
  const parsed = parseClusterServiceVersion({ ...csv, spec: { ...spec, webhookdefinitions: [one, one] } });
  expect(webhookFault(parsed)).toBe('CSV contains repeated WebhookDescription name');
});
