import {
  configMap,
  deployment,
  job,
  operator,
  quickRelease,
  release,
  role,
  widget,
  widgetDefinition,
} from '../objects.ts';
import type { Rest, Scenario } from '../scenario.ts';

const installed: Rest = { rest: 'installed', until: { condition: 'Available', is: 'True' } };
const version = '4.22.0';
const alphaReports = { report: 'alpha', version };
const betaReports = { report: 'beta', version };
const beta = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterOperator', name: 'beta' };

/** The first installation of a release. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'install',
    title: 'operators report one after another',
    rows: ['CV-26', 'CV-83'],
    payloads: { first: release(version) },
    actions: [
      { rest: 'operators report nothing', until: { of: beta, has: 'relatedObjects' } },
      alphaReports,
      { rest: 'alpha reports' },
      betaReports,
      installed,
    ],
  },
  {
    id: 'install-healthy',
    title: 'all operators are healthy at once',
    hasHealthyOperators: true,
    payloads: { first: release(version) },
    actions: [installed],
  },
  {
    id: 'install-degraded',
    title: 'an operator is available and degraded',
    payloads: { first: release(version) },
    actions: [
      alphaReports,
      { ...betaReports, degraded: true },
      { rest: 'beta is degraded', until: { condition: 'Failing', is: 'True' } },
      betaReports,
      installed,
    ],
  },
  {
    id: 'install-unavailable',
    title: 'an operator is not available',
    payloads: { first: release(version) },
    actions: [
      alphaReports,
      { ...betaReports, available: false },
      { rest: 'beta is not available', until: { condition: 'Failing', is: 'True' } },
      betaReports,
      installed,
    ],
  },
  {
    id: 'install-two-unavailable',
    title: 'two operators are not available',
    payloads: { first: release(version) },
    actions: [
      { ...alphaReports, available: false },
      { ...betaReports, available: false },
      { rest: 'both are not available', until: { condition: 'Failing', is: 'True', mentions: 'alpha, beta' } },
    ],
  },
  {
    id: 'install-another-version',
    title: 'an operator reports an older version',
    payloads: { first: release(version) },
    actions: [alphaReports, { ...betaReports, version: '4.21.0' }, { rest: 'beta is older' }, betaReports, installed],
  },
  {
    id: 'install-no-versions',
    title: 'the manifest of an operator declares no version',
    hasHealthyOperators: true,
    payloads: {
      first: release(version, { '0000_20_beta_02_operator.yaml': [{ ...operator('beta', version), status: {} }] }),
    },
    actions: [{ rest: 'beta has no version', until: { condition: 'Failing', is: 'True' } }],
  },
  {
    id: 'install-operands',
    title: 'an operator has operands with versions of their own',
    payloads: {
      first: release(version, {
        '0000_20_beta_02_operator.yaml': [operator('beta', version, { operands: { operand: '1.2.3' } })],
      }),
    },
    actions: [
      alphaReports,
      betaReports,
      { rest: 'the operand is missing' },
      { ...betaReports, versions: { operand: '1.2.3' } },
      installed,
    ],
  },
  {
    id: 'install-levels',
    title: 'levels and components are written side by side',
    payloads: {
      first: quickRelease(version, {
        '0000_10_alpha_02_more.yaml': [configMap('alpha-more', {})],
        '0000_10_beta_01_one.yaml': [configMap('beta-one', {}), configMap('beta-two', {})],
        '0000_10_beta_02_three.yaml': [configMap('beta-three', {})],
        '0000_30_alpha_01_late.yaml': [configMap('alpha-late', {})],
        'unnumbered.yaml': [configMap('unnumbered', {})],
      }),
    },
    actions: [installed],
  },
  {
    id: 'install-definition',
    title: 'objects of a kind that the release defines',
    payloads: {
      first: quickRelease(version, {
        '0000_20_widgets_01_definition.crd.yaml': [widgetDefinition()],
        '0000_20_widgets_02_widget.yaml': [widget('one', { size: 1 })],
      }),
    },
    actions: [installed],
  },
  {
    id: 'install-unknown-kind',
    title: 'an object of a kind that the cluster does not have',
    payloads: { first: quickRelease(version, { '0000_20_widgets_02_widget.yaml': [widget('one', { size: 1 })] }) },
    actions: [{ rest: 'the kind is missing', until: { condition: 'Failing', is: 'True' } }],
  },
  {
    id: 'install-invalid-object',
    title: 'an object that the API server refuses',
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_01_config.yaml': [{ ...configMap('beta', {}), data: { 'not a key': 'x' } }],
      }),
    },
    actions: [{ rest: 'the object is refused', until: { condition: 'Failing', is: 'True' } }],
  },
  {
    id: 'install-missing-namespace',
    title: 'an object of a namespace that does not exist',
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_01_config.yaml': [
          {
            ...configMap('beta', {}),
            metadata: { ...(configMap('beta', {})['metadata'] as object), namespace: 'none' },
          },
        ],
      }),
    },
    actions: [{ rest: 'the namespace is missing', until: { condition: 'Failing', is: 'True' } }],
  },
  {
    id: 'install-several-errors',
    title: 'two components fail for different reasons',
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_01_config.yaml': [{ ...configMap('beta', {}), data: { 'not a key': 'x' } }],
        '0000_20_widgets_02_widget.yaml': [widget('one', { size: 1 })],
      }),
    },
    actions: [{ rest: 'both fail', until: { condition: 'Failing', is: 'True', mentions: 'Multiple' } }],
  },
  {
    id: 'install-included',
    title: 'manifests for other profiles, engines and feature sets, and without annotations',
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_01_other-profile.yaml': [
          {
            ...configMap('other-profile', {}),
            metadata: {
              name: 'other-profile',
              namespace: 'test',
              annotations: { 'include.release.openshift.io/single-node-developer': 'true' },
            },
          },
        ],
        '0000_20_beta_02_bare.yaml': [
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bare', namespace: 'test' } },
        ],
        '0000_20_beta_03_tech-preview.yaml': [
          configMap(
            'tech-preview',
            {},
            { annotations: { 'release.openshift.io/feature-set': 'TechPreviewNoUpgrade' } },
          ),
        ],
        '0000_20_beta_04_default.yaml': [
          configMap('default', {}, { annotations: { 'release.openshift.io/feature-set': 'Default' } }),
        ],
        '0000_20_beta_05_spaced.yaml': [
          configMap(
            'spaced',
            {},
            { annotations: { 'release.openshift.io/feature-set': 'TechPreviewNoUpgrade, Default' } },
          ),
        ],
        '0000_20_beta_06_gate.yaml': [
          configMap('gate', {}, { annotations: { 'release.openshift.io/feature-gate': 'One' } }),
        ],
        '0000_20_beta_07_no-gate.yaml': [
          configMap('no-gate', {}, { annotations: { 'release.openshift.io/feature-gate': '-One' } }),
        ],
        '0000_20_beta_08_both.yaml': [
          configMap(
            'both',
            {},
            {
              annotations: {
                'release.openshift.io/feature-gate': '-One',
                'release.openshift.io/feature-set': 'Default',
              },
            },
          ),
        ],
        '0000_20_beta_09_major.yaml': [
          configMap('major', {}, { annotations: { 'release.openshift.io/major-version': '4' } }),
        ],
        '0000_20_beta_10_text.txt': 'no manifest',
      }),
    },
    actions: [installed],
  },
  {
    id: 'install-tech-preview',
    title: 'a cluster with a feature set and gates',
    featureSet: 'TechPreviewNoUpgrade',
    enabledGates: ['One', 'Two'],
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_03_tech-preview.yaml': [
          configMap(
            'tech-preview',
            {},
            { annotations: { 'release.openshift.io/feature-set': 'TechPreviewNoUpgrade' } },
          ),
        ],
        '0000_20_beta_04_default.yaml': [
          configMap('default', {}, { annotations: { 'release.openshift.io/feature-set': 'Default' } }),
        ],
        '0000_20_beta_06_gates.yaml': [
          configMap('gates', {}, { annotations: { 'release.openshift.io/feature-gate': 'One, Two' } }),
        ],
        '0000_20_beta_07_gate.yaml': [
          configMap('no-gate', {}, { annotations: { 'release.openshift.io/feature-gate': 'One,-Two' } }),
        ],
      }),
    },
    actions: [installed],
  },
  {
    id: 'install-capabilities',
    title: 'capabilities that are enabled, disabled and unknown',
    rows: ['CV-72', 'CV-74'],
    spec: { capabilities: { baselineCapabilitySet: 'None', additionalEnabledCapabilities: ['Console'] } },
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_01_console.yaml': [
          configMap('console', {}, { annotations: { 'capability.openshift.io/name': 'Console' } }),
        ],
        '0000_20_beta_02_storage.yaml': [
          configMap('storage', {}, { annotations: { 'capability.openshift.io/name': 'Storage' } }),
        ],
        '0000_20_beta_03_both.yaml': [
          configMap('both', {}, { annotations: { 'capability.openshift.io/name': 'Console+Storage' } }),
        ],
        '0000_20_beta_04_unknown.yaml': [
          configMap('unknown', {}, { annotations: { 'capability.openshift.io/name': 'Unknown' } }),
        ],
      }),
    },
    actions: [
      installed,
      { spec: { capabilities: { additionalEnabledCapabilities: ['Console', 'Storage'] } } },
      {
        rest: 'storage is enabled',
        until: { of: { apiVersion: 'v1', kind: 'ConfigMap', name: 'both', namespace: 'test' }, has: 'both' },
      },
      { spec: { capabilities: { additionalEnabledCapabilities: [] } } },
      { rest: 'all are disabled again', until: { condition: 'ImplicitlyEnabledCapabilities', is: 'True' } },
    ],
  },
  {
    id: 'install-overrides',
    title: 'an object that is not managed',
    rows: ['CV-78'],
    spec: { overrides: [{ kind: 'ConfigMap', group: '', namespace: 'test', name: 'beta', unmanaged: true }] },
    payloads: { first: quickRelease(version, { '0000_20_beta_01_config.yaml': [configMap('beta', { version })] }) },
    actions: [
      installed,
      { spec: { overrides: [] } },
      {
        rest: 'it is managed again',
        until: { of: { apiVersion: 'v1', kind: 'ConfigMap', name: 'beta', namespace: 'test' }, has: version },
      },
    ],
  },
  {
    id: 'install-to-be-deleted',
    title: 'manifests of objects that are to be deleted',
    rows: ['CV-75'],
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_01_config.yaml': [
          configMap('old', {}, { annotations: { 'release.openshift.io/delete': 'true' } }),
        ],
        '0000_20_beta_02_operator.yaml': [
          operator('old', version, { annotations: { 'release.openshift.io/delete': 'true' } }),
        ],
      }),
    },
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'test' } }, configMap('old', { is: 'there' })],
    hasHealthyOperators: true,
    actions: [installed],
  },
  {
    id: 'install-bad-delete',
    title: 'a delete annotation that is neither true nor absent',
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_01_config.yaml': [
          configMap('bad', {}, { annotations: { 'release.openshift.io/delete': 'false' } }),
        ],
      }),
    },
    actions: [{ rest: 'it fails', until: { condition: 'Failing', is: 'True' } }],
  },
  {
    id: 'install-create-only',
    title: 'objects that are only created',
    rows: ['CV-77'],
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_01_config.yaml': [
          configMap('existing', { version }, { annotations: { 'release.openshift.io/create-only': 'true' } }),
        ],
        '0000_20_beta_02_config.yaml': [
          configMap('missing', { version }, { annotations: { 'release.openshift.io/create-only': 'TRUE' } }),
        ],
      }),
    },
    objects: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'test' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'existing', namespace: 'test' }, data: { is: 'mine' } },
    ],
    actions: [installed],
  },
  {
    id: 'install-adopted',
    title: 'objects that exist before the release',
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_01_role.yaml': [role('beta', ['get'])],
        '0000_20_beta_02_deployment.yaml': [deployment('beta', 'registry.example.com/beta:1')],
      }),
    },
    objects: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'test', labels: { mine: 'yes' } } },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'alpha', namespace: 'test', labels: { mine: 'yes' }, annotations: { mine: 'yes' } },
        data: { version: 'old', mine: 'yes' },
      },
      { ...role('beta', ['get', 'delete']), metadata: { name: 'beta', namespace: 'test' } },
    ],
    actions: [installed],
  },
  {
    id: 'install-job',
    title: 'a job between two components',
    payloads: {
      first: quickRelease(version, {
        '0000_20_beta_01_job.yaml': [job('once', 'registry.example.com/job:1')],
        '0000_30_gamma_01_config.yaml': [configMap('gamma', {})],
      }),
    },
    actions: [installed],
  },
  {
    id: 'install-template',
    title: 'templates of the engine, one with a member that does not exist',
    payloads: {
      first: quickRelease(
        version,
        {},
        {
          images: { cli: 'registry.example.com/cli@sha256:00', 'b-c': 'registry.example.com/bc@sha256:11' },
          engineFiles: {
            '0000_00_engine_00_namespace.yaml': `apiVersion: v1
kind: Namespace
metadata: {name: engine, annotations: {include.release.openshift.io/self-managed-high-availability: "true"}}
`,
            '0000_00_engine_01_config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: engine, namespace: engine, annotations: {include.release.openshift.io/self-managed-high-availability: "true"}}
data: {image: "{{.ReleaseImage}}", profile: "{{.ClusterProfile}}", cli: "{{.Images.cli}}", none: "{{.Images.none}}"}
`,
            '0000_00_engine_02_later.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: later, namespace: engine, annotations: {include.release.openshift.io/self-managed-high-availability: "true"}}
data: {later: "{{.LaterMember}}"}
`,
          },
        },
      ),
    },
    actions: [installed],
  },
  {
    id: 'install-old-yaml',
    title: 'words and numbers that YAML 1.1 takes for something else',
    payloads: {
      first: quickRelease(version, {
        '0000_20_widgets_01_definition.crd.yaml': [
          {
            ...widgetDefinition(),
            spec: {
              ...(widgetDefinition()['spec'] as object),
              versions: [
                {
                  name: 'v1',
                  served: true,
                  storage: true,
                  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
                },
              ],
            },
          },
        ],
        '0000_20_widgets_02_widget.yaml': `apiVersion: example.com/v1
kind: Widget
metadata: {name: words, annotations: {include.release.openshift.io/self-managed-high-availability: "true"}}
spec: {n: 1, word: yes, off: on, octal: 010, float: 1e3, hex: 0x10, time: 12:30:45, text: "<&>"}
`,
      }),
    },
    actions: [installed],
  },
  {
    id: 'install-retargeted',
    title: 'another version is asked for while the first is installed',
    payloads: { first: release(version), second: release('4.22.1') },
    actions: [
      alphaReports,
      { rest: 'beta is waited for' },
      { spec: { desiredUpdate: { version: '4.22.1', image: '$image/second', force: true } } },
      { rest: 'another version is asked for' },
      betaReports,
      { rest: 'beta reports', until: { history: 'Completed 4.22.0' } },
    ],
  },
  {
    id: 'install-restart',
    title: 'the engine is killed while it waits',
    payloads: { first: release(version) },
    actions: [
      alphaReports,
      { rest: 'beta is waited for' },
      { restart: 'first' },
      { rest: 'it was started again' },
      betaReports,
      installed,
    ],
  },
];
