import {
  configMap,
  deployment,
  operator,
  quickRelease,
  release,
  role,
  service,
  targetOf,
  widget,
  widgetDefinition,
} from '../objects.ts';
import type { Action, Rest, Scenario } from '../scenario.ts';

const version = '4.22.0';
const installed: Rest = { rest: 'installed', until: { history: `Completed ${version}` } };
const alpha = targetOf(configMap('alpha', {}));
const beta = targetOf(deployment('beta', ''));
const one = targetOf(widget('one', {}));

const workloads = quickRelease(version, {
  '0000_20_beta_01_deployment.yaml': [deployment('beta', 'registry.example.com/beta:1')],
  '0000_20_beta_02_service.yaml': [service('beta', [{ name: 'web', port: 80, targetPort: 8080 }])],
  '0000_20_beta_03_role.yaml': [role('beta', ['get'])],
  '0000_20_widgets_01_definition.crd.yaml': [widgetDefinition()],
  '0000_20_widgets_02_widget.yaml': [widget('one', { size: 1 }, { labels: { mine: 'no' } })],
});

const apiServer = { apiVersion: 'config.openshift.io/v1', kind: 'APIServer', metadata: { name: 'cluster' } };
const tlsConfiguration = configMap(
  'server',
  {
    'config.yaml': `# kept
apiVersion: operator.openshift.io/v1alpha1
kind: GenericOperatorConfig
servingInfo:
  bindAddress: 0.0.0.0:8443
  minTLSVersion: VersionTLS11
`,
    'controller.json': '{"apiVersion": "config.openshift.io/v1", "kind": "GenericControllerConfig"}',
    'other.yaml': 'apiVersion: v1\nkind: GenericOperatorConfig\n',
    text: '{{',
  },
  { annotations: { 'config.openshift.io/inject-tls': 'true' } },
);
const customProfile = {
  type: 'Custom',
  modern: null,
  custom: {
    ciphers: ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-SHA384', 'TLS_AES_128_CCM_SHA256', 'AES128-SHA'],
    minTLSVersion: 'VersionTLS11',
  },
};

/** A user changes an object of an installed release. */
function drift(id: string, title: string, ...actions: readonly Action[]): Scenario {
  return { id: `drift-${id}`, title, payloads: { first: workloads }, actions: [installed, ...actions] };
}

/** What happens to a release that is installed. */
export const scenarios: readonly Scenario[] = [
  drift(
    'data',
    'a value of a ConfigMap is changed',
    { patch: alpha, merge: { data: { version: 'another' } } },
    { rest: 'it is as released', until: { of: alpha, lacks: 'another' } },
  ),
  drift(
    'key',
    'a key of a ConfigMap is added',
    { patch: alpha, merge: { data: { mine: 'yes' } } },
    { rest: 'it is kept' },
  ),
  drift(
    'metadata',
    'a label and an annotation are added, and one of the release is removed',
    {
      patch: alpha,
      merge: {
        metadata: {
          labels: { mine: 'yes' },
          annotations: { mine: 'yes', 'include.release.openshift.io/self-managed-high-availability': null },
        },
      },
    },
    { rest: 'it is as released', until: { of: alpha, has: 'include.release.openshift.io' } },
  ),
  drift(
    'owner',
    'the owner is removed',
    { patch: alpha, merge: { metadata: { ownerReferences: null } } },
    { rest: 'it is there again', until: { of: alpha, has: 'ownerReferences' } },
  ),
  drift(
    'deleted',
    'an object is deleted',
    { delete: alpha },
    { rest: 'it is created again', until: { of: alpha, has: version } },
  ),
  drift(
    'deployment',
    'the image and the number of replicas of a Deployment are changed',
    { patch: beta, merge: { spec: { replicas: 3, paused: true, minReadySeconds: 5 } } },
    { rest: 'it is as released', until: { of: beta, has: '"replicas":1' } },
  ),
  drift(
    'deployment-template',
    'a container, a variable and a toleration are added to a Deployment',
    {
      patch: beta,
      merge: {
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'main', image: 'registry.example.com/mine', env: [{ name: 'MINE', value: 'yes' }] },
                { name: 'mine', image: 'registry.example.com/mine' },
              ],
              tolerations: [{ key: 'mine', operator: 'Exists' }],
            },
          },
        },
      },
    },
    { rest: 'it is as released', until: { of: beta, lacks: 'registry.example.com/mine' } },
  ),
  drift(
    'service',
    'a port and a session affinity are added to a Service',
    {
      patch: targetOf(service('beta', [])),
      merge: {
        spec: {
          sessionAffinity: 'ClientIP',
          ports: [
            { name: 'web', port: 80, targetPort: 8080 },
            { name: 'mine', port: 81 },
          ],
        },
      },
    },
    { rest: 'it is as released', until: { of: targetOf(service('beta', [])), lacks: 'mine' } },
  ),
  drift(
    'role',
    'a verb is added to a Role',
    {
      patch: targetOf(role('beta', [])),
      merge: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'delete'] }] },
    },
    { rest: 'it is as released', until: { of: targetOf(role('beta', [])), lacks: 'delete"' } },
  ),
  drift(
    'widget',
    'a member of a custom object is changed, and another one is added',
    { patch: one, merge: { spec: { size: 2, color: 'red' } } },
    { rest: 'it is as released', until: { of: one, has: '"size":1' } },
  ),
  drift(
    'widget-metadata',
    'labels of a custom object are changed',
    { patch: one, merge: { metadata: { labels: { mine: 'yes', other: 'yes' } } } },
    { rest: 'nothing else is changed' },
  ),
  drift(
    'namespace',
    'the namespace of everything is deleted',
    { delete: { apiVersion: 'v1', kind: 'Namespace', name: 'test' } },
    { rest: 'it is created again', until: { of: alpha, has: version } },
  ),
  drift(
    'restart',
    'the engine is started again',
    { restart: 'first' },
    { rest: 'it was started again', until: { condition: 'ReleaseAccepted', is: 'True' } },
  ),
  {
    id: 'operator-deleted',
    title: 'a ClusterOperator is deleted',
    hasHealthyOperators: true,
    payloads: { first: release(version) },
    actions: [
      installed,
      { delete: targetOf(operator('beta', version)) },
      { rest: 'it is created again', until: { of: targetOf(operator('beta', version)), has: 'relatedObjects' } },
    ],
  },
  {
    id: 'operator-degraded',
    title: 'an operator becomes degraded, then unavailable, then healthy',
    payloads: { first: release(version) },
    actions: [
      { report: 'alpha', version },
      { report: 'beta', version },
      installed,
      { report: 'beta', version, degraded: true },
      { rest: 'beta is degraded', until: { condition: 'Failing', is: 'True' } },
      { report: 'beta', version, available: false },
      { rest: 'beta is not available', until: { condition: 'Failing', is: 'True', mentions: 'not available' } },
      { report: 'beta', version },
      { rest: 'beta is healthy', until: { condition: 'Failing', is: 'False' } },
    ],
  },
  {
    id: 'operator-progressing',
    title: 'an operator is progressing',
    payloads: { first: release(version) },
    actions: [
      { report: 'alpha', version },
      { report: 'beta', version },
      installed,
      { report: 'beta', version, progressing: true },
      { rest: 'beta is progressing' },
    ],
  },
  {
    id: 'operator-other-version',
    title: 'an operator reports another version',
    payloads: { first: release(version) },
    actions: [
      { report: 'alpha', version },
      { report: 'beta', version },
      installed,
      { report: 'beta', version: '4.21.0' },
      { rest: 'beta has another version', until: { condition: 'Failing', is: 'True' } },
    ],
  },
  {
    id: 'operator-not-upgradeable',
    title: 'operators are not upgradeable',
    payloads: { first: release(version) },
    actions: [
      { report: 'alpha', version },
      { report: 'beta', version },
      installed,
      { report: 'beta', version, upgradeable: false },
      { rest: 'beta is not upgradeable', until: { condition: 'Upgradeable', is: 'False' } },
      { report: 'alpha', version, upgradeable: false },
      { rest: 'alpha neither', until: { condition: 'Upgradeable', is: 'False', mentions: 'multiple' } },
      { report: 'alpha', version },
      { report: 'beta', version },
      { rest: 'both are', until: { condition: 'Upgradeable', is: 'absent' } },
    ],
  },
  {
    id: 'no-gates',
    title: 'there are no ConfigMaps of gates',
    hasGates: false,
    payloads: { first: quickRelease(version) },
    actions: [installed],
  },
  {
    id: 'gates',
    title: 'gates of this version and of another one, acknowledged and not',
    rows: ['CV-101'],
    payloads: { first: quickRelease(version) },
    actions: [
      installed,
      {
        patch: { apiVersion: 'v1', kind: 'ConfigMap', name: 'admin-gates', namespace: 'openshift-config-managed' },
        merge: {
          data: { 'ack-4.22-removed-api': 'An API is removed.', 'ack-4.21-removed-api': 'Of another version.' },
        },
      },
      { rest: 'not acknowledged', until: { condition: 'Upgradeable', is: 'False' } },
      {
        patch: { apiVersion: 'v1', kind: 'ConfigMap', name: 'admin-acks', namespace: 'openshift-config' },
        merge: { data: { 'ack-4.22-removed-api': 'true' } },
      },
      { rest: 'acknowledged', until: { condition: 'Upgradeable', is: 'absent' } },
    ],
  },
  {
    id: 'wrong-gates',
    title: 'gates with a wrong name and without a description',
    payloads: { first: quickRelease(version) },
    actions: [
      installed,
      {
        patch: { apiVersion: 'v1', kind: 'ConfigMap', name: 'admin-gates', namespace: 'openshift-config-managed' },
        merge: { data: { 'wrong-name': 'text', 'ack-4.22-empty': '' } },
      },
      { rest: 'not upgradeable', until: { condition: 'Upgradeable', is: 'False' } },
    ],
  },
  {
    id: 'tls-profile',
    title: 'the TLS profile of the cluster is changed, and removed',
    payloads: { first: quickRelease(version, { '0000_20_beta_01_config.yaml': [tlsConfiguration] }) },
    objects: [
      { ...apiServer, spec: { audit: { profile: 'Default' }, tlsSecurityProfile: { type: 'Modern', modern: {} } } },
    ],
    actions: [
      installed,
      { patch: targetOf(apiServer), merge: { spec: { tlsSecurityProfile: customProfile } } },
      { rest: 'a custom profile', until: { of: targetOf(tlsConfiguration), lacks: 'VersionTLS13' } },
      { patch: targetOf(apiServer), merge: { spec: { tlsSecurityProfile: null } } },
      { rest: 'no profile', until: { of: targetOf(tlsConfiguration), has: 'VersionTLS12' } },
    ],
  },
];
