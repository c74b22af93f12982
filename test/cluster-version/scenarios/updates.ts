import {
  configMap,
  deployment,
  job,
  operator,
  quickRelease,
  release,
  role,
  roleBinding,
  signedSecond,
  updateToSecond,
  widget,
  widgetDefinition,
} from '../objects.ts';
import type { Payload, Rest, Scenario, Target } from '../scenario.ts';

const first = '4.22.0';
const second = '4.22.1';
const installed: Rest = { rest: 'installed', until: { history: `Completed ${first}` } };
const updated: Rest = { rest: 'updated', until: { history: `Completed ${second}` }, isOrdered: true };
const failing: Rest = { rest: 'failing', until: { condition: 'Failing', is: 'True' } };
const newAlpha = { report: 'alpha', version: second };
const newBeta = { report: 'beta', version: second };
const oldReports = [
  { report: 'alpha', version: first },
  { report: 'beta', version: first },
];
const toBeDeleted = { annotations: { 'release.openshift.io/delete': 'true' } };
const simulateFailure = { annotations: { 'apiserver.longshore.dev/simulate': 'fail' } };
const capability = (name: string) => ({ annotations: { 'capability.openshift.io/name': name } });
const inTest = (name: string): Target => ({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'test' });

/** From a small release to one with these files. */
function quick(before: Payload['files'], after: Payload['files']): Pick<Scenario, 'payloads' | 'objects'> {
  return {
    payloads: { first: quickRelease(first, before), second: quickRelease(second, after) },
    objects: [signedSecond],
  };
}

/** From two operators to the same two. */
const twoOperators = { payloads: { first: release(first), second: release(second) }, objects: [signedSecond] };

/** A new release on a cluster that has one. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'update',
    title: 'operators report the new version one after another',
    rows: ['CV-27', 'CV-84'],
    ...twoOperators,
    actions: [
      ...oldReports,
      installed,
      updateToSecond(),
      {
        rest: 'alpha is waited for',
        until: { condition: 'Progressing', is: 'True', mentions: 'waiting on alpha' },
        isOrdered: true,
      },
      newAlpha,
      {
        rest: 'beta is waited for',
        until: { condition: 'Progressing', is: 'True', mentions: 'waiting on beta' },
        isOrdered: true,
      },
      newBeta,
      updated,
    ],
  },
  {
    id: 'update-levels',
    title: 'levels one after another, components of a level side by side',
    ...quick(
      {},
      {
        '0000_20_b_01_one.yaml': [configMap('b-one', {}), configMap('b-two', {})],
        '0000_20_c_01_one.yaml': [configMap('c-one', {})],
        '0000_20_c_02_two.yaml': [configMap('c-two', {})],
        '0000_30_b_01_one.yaml': [configMap('b-late', {})],
        '0000_40_b_01_one.yaml': [configMap('b-later', {})],
        '0000_50_d_01_one.yaml': [configMap('d-one', {})],
        '0000_50_e_01_one.yaml': [configMap('e-one', {})],
        '0000_100_f_01_one.yaml': [configMap('f-one', {})],
        '0000_5_g_01_one.yaml': [configMap('g-one', {})],
        'unnumbered.yaml': [configMap('unnumbered', {})],
      },
    ),
    actions: [installed, updateToSecond(), updated],
  },
  {
    id: 'update-degraded',
    title: 'an operator is degraded for longer than 40 minutes',
    rows: ['CV-50'],
    ...twoOperators,
    actions: [
      ...oldReports,
      installed,
      updateToSecond(),
      { ...newAlpha, degraded: true },
      { rest: 'alpha is degraded', until: { condition: 'Progressing', is: 'True', mentions: '40 minutes' } },
      { rest: 'for longer', until: { condition: 'Failing', is: 'True' } },
      newAlpha,
      newBeta,
      updated,
    ],
  },
  {
    id: 'update-unavailable',
    title: 'an operator is not available any more',
    ...twoOperators,
    actions: [
      ...oldReports,
      installed,
      updateToSecond(),
      { ...newAlpha, available: false },
      failing,
      newAlpha,
      newBeta,
      updated,
    ],
  },
  {
    id: 'update-slow',
    title: 'an operator takes longer than 30 minutes',
    ...twoOperators,
    actions: [
      ...oldReports,
      installed,
      updateToSecond(),
      { rest: 'alpha takes long', until: { condition: 'Failing', is: 'Unknown' } },
      newAlpha,
      newBeta,
      updated,
    ],
  },
  {
    id: 'update-two-waiting',
    title: 'two operators of a level are waited for',
    payloads: {
      first: quickRelease(first),
      second: quickRelease(second, {
        '0000_20_beta_01_operator.yaml': [operator('beta', second, { operands: { late: '1' } })],
        '0000_20_gamma_01_operator.yaml': [operator('gamma', second, { operands: { late: '1' } })],
      }),
    },
    objects: [signedSecond],
    actions: [
      installed,
      updateToSecond(),
      { report: 'beta', version: second },
      { report: 'gamma', version: second },
      {
        rest: 'their operands are waited for',
        until: { condition: 'Progressing', is: 'True', mentions: 'beta, gamma' },
      },
      { report: 'beta', version: second, versions: { late: '1' } },
      { report: 'gamma', version: second, versions: { late: '1' } },
      updated,
    ],
  },
  {
    id: 'update-several-errors',
    title: 'two operators of a level are not available, and an object is refused',
    payloads: {
      first: quickRelease(first),
      second: quickRelease(second, {
        '0000_20_beta_01_operator.yaml': [operator('beta', second)],
        '0000_20_gamma_01_operator.yaml': [operator('gamma', second)],
        '0000_20_delta_01_config.yaml': [{ ...configMap('delta', {}), data: { 'not a key': 'x' } }],
      }),
    },
    objects: [signedSecond],
    actions: [
      installed,
      updateToSecond(),
      { report: 'beta', version: second, available: false },
      { report: 'gamma', version: second, available: false },
      { rest: 'all fail', until: { condition: 'Failing', is: 'True', mentions: 'Multiple errors' } },
    ],
  },
  {
    id: 'update-job-fails',
    title: 'a job has failed',
    rows: ['CV-81'],
    ...quick(
      {},
      {
        '0000_20_beta_01_job.yaml': [job('once', 'registry.example.com/job:1', simulateFailure)],
        '0000_30_gamma_01_config.yaml': [configMap('late', {})],
      },
    ),
    actions: [
      installed,
      // Whether a job that the release creates has failed when it is looked at is chance.
      { apply: job('once', 'registry.example.com/job:1', simulateFailure) },
      {
        await: {
          of: { apiVersion: 'batch/v1', kind: 'Job', name: 'once', namespace: 'test' },
          has: 'BackoffLimitExceeded',
        },
      },
      updateToSecond(),
      failing,
    ],
  },
  {
    id: 'update-job',
    title: 'a job stands between two components of a level',
    ...quick(
      {},
      {
        '0000_20_beta_01_config.yaml': [configMap('beta', {})],
        '0000_20_gamma_01_job.yaml': [job('once', 'registry.example.com/job:1')],
        '0000_20_zeta_01_config.yaml': [configMap('zeta', {})],
      },
    ),
    actions: [installed, updateToSecond(), updated],
  },
  {
    id: 'update-deployment-fails',
    title: 'a Deployment whose pods do not become ready',
    rows: ['CV-80'],
    ...quick(
      { '0000_20_beta_01_deployment.yaml': [deployment('beta', 'registry.example.com/beta:1')] },
      {
        '0000_20_beta_01_deployment.yaml': [deployment('beta', 'registry.example.com/beta:2')],
        '0000_30_gamma_01_config.yaml': [configMap('late', {})],
      },
    ),
    actions: [
      installed,
      {
        patch: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'beta', namespace: 'test' },
        merge: { metadata: { annotations: { 'apiserver.longshore.dev/simulate': 'fail' } } },
      },
      updateToSecond(),
      { rest: 'its pods fail' },
    ],
  },
  {
    id: 'update-workload',
    title: 'a Deployment with another image and another variable',
    ...quick(
      { '0000_20_beta_01_deployment.yaml': [deployment('beta', 'registry.example.com/beta:1')] },
      { '0000_20_beta_01_deployment.yaml': [deployment('beta', 'registry.example.com/beta:2')] },
    ),
    actions: [installed, updateToSecond(), updated],
  },
  {
    id: 'update-immutable-role',
    title: 'a RoleBinding names another Role',
    ...quick(
      {
        '0000_20_beta_01_roles.yaml': [role('one', ['get']), role('two', ['get'])],
        '0000_20_beta_02_binding.yaml': [roleBinding('beta', 'one')],
      },
      {
        '0000_20_beta_01_roles.yaml': [role('one', ['get']), role('two', ['get'])],
        '0000_20_beta_02_binding.yaml': [roleBinding('beta', 'two')],
      },
    ),
    actions: [installed, updateToSecond(), failing],
  },
  {
    id: 'update-immutable-selector',
    title: 'a Deployment has another selector',
    ...quick(
      { '0000_20_beta_01_deployment.yaml': [deployment('beta', 'registry.example.com/beta:1')] },
      {
        '0000_20_beta_01_deployment.yaml': [
          {
            ...deployment('beta', 'registry.example.com/beta:1'),
            spec: {
              selector: { matchLabels: { app: 'other' } },
              template: {
                metadata: { labels: { app: 'other' } },
                spec: { containers: [{ name: 'main', image: 'registry.example.com/beta:1' }] },
              },
            },
          },
        ],
      },
    ),
    actions: [installed, updateToSecond(), failing],
  },
  {
    id: 'update-deletes',
    title: 'the new release deletes an object',
    rows: ['CV-75', 'CV-76'],
    ...quick(
      { '0000_20_beta_01_config.yaml': [configMap('beta', {})] },
      { '0000_20_beta_01_config.yaml': [configMap('beta', {}, toBeDeleted)] },
    ),
    actions: [
      installed,
      updateToSecond(),
      updated,
      { apply: configMap('beta', { is: 'back' }) },
      { rest: 'it is created again by hand' },
    ],
  },
  {
    id: 'update-deletes-slowly',
    title: 'the new release deletes an object that has a finalizer',
    ...quick(
      { '0000_20_beta_01_config.yaml': [configMap('beta', {})] },
      { '0000_20_beta_01_config.yaml': [configMap('beta', {}, toBeDeleted)] },
    ),
    actions: [
      installed,
      { patch: inTest('beta'), merge: { metadata: { finalizers: ['example.com/keep'] } } },
      updateToSecond(),
      { rest: 'it is being deleted', until: { history: `Completed ${second}` } },
      { patch: inTest('beta'), merge: { metadata: { finalizers: null } } },
      { rest: 'it is deleted', until: { of: inTest('beta'), isAbsent: true } },
    ],
  },
  {
    id: 'update-create-only',
    title: 'an object that is only created has other data in the new release',
    ...quick(
      {
        '0000_20_beta_01_config.yaml': [
          configMap('beta', { is: 'old' }, { annotations: { 'release.openshift.io/create-only': 'true' } }),
        ],
      },
      {
        '0000_20_beta_01_config.yaml': [
          configMap('beta', { is: 'new' }, { annotations: { 'release.openshift.io/create-only': 'true' } }),
        ],
      },
    ),
    actions: [installed, updateToSecond(), updated],
  },
  {
    id: 'update-removes-key',
    title: 'a ConfigMap has a key less, another label and another annotation',
    rows: ['CV-79'],
    ...quick(
      {
        '0000_20_beta_01_config.yaml': [
          configMap('beta', { a: '1', b: '2' }, { labels: { old: 'yes' }, annotations: { old: 'yes' } }),
        ],
      },
      {
        '0000_20_beta_01_config.yaml': [
          configMap('beta', { a: '1' }, { labels: { new: 'yes' }, annotations: { new: 'yes' } }),
        ],
      },
    ),
    actions: [installed, updateToSecond(), updated],
  },
  {
    id: 'update-drops-object',
    title: 'the new release does not have an object any more',
    ...quick({ '0000_20_beta_01_config.yaml': [configMap('beta', {})] }, {}),
    actions: [installed, updateToSecond(), updated],
  },
  {
    id: 'update-overridden',
    title: 'an object of the new release is not managed',
    rows: ['CV-78'],
    spec: { overrides: [{ kind: 'ConfigMap', group: '', namespace: 'test', name: 'alpha', unmanaged: true }] },
    ...quick({}, {}),
    actions: [installed, updateToSecond(), updated],
  },
  {
    id: 'update-capability',
    // Where no capability is enabled at all, the reference crashes there: it writes to a map that it has not made.
    title: 'an object belongs to a disabled capability in the new release',
    rows: ['CV-73'],
    spec: { capabilities: { baselineCapabilitySet: 'None', additionalEnabledCapabilities: ['Storage'] } },
    ...quick(
      { '0000_20_beta_01_config.yaml': [configMap('beta', { is: 'old' })] },
      { '0000_20_beta_01_config.yaml': [configMap('beta', { is: 'new' }, capability('Console'))] },
    ),
    actions: [installed, updateToSecond(), updated],
  },
  {
    id: 'update-definition',
    title: 'the new release has a kind and an object of it',
    ...quick(
      {},
      {
        '0000_20_widgets_01_definition.crd.yaml': [widgetDefinition()],
        '0000_20_widgets_02_widget.yaml': [widget('one', { size: 1 })],
      },
    ),
    actions: [installed, updateToSecond(), updated],
  },
  {
    id: 'update-cleared',
    title: 'the update is cleared on the way',
    ...twoOperators,
    actions: [
      ...oldReports,
      installed,
      updateToSecond(),
      { rest: 'alpha is waited for', until: { condition: 'Progressing', is: 'True', mentions: 'waiting on alpha' } },
      { spec: { desiredUpdate: null } },
      { rest: 'cleared', until: { history: `Completed ${first}` } },
    ],
  },
  {
    id: 'update-retargeted',
    title: 'a third release is asked for on the way',
    payloads: { first: release(first), second: release(second), third: quickRelease('4.22.2') },
    objects: [signedSecond],
    actions: [
      ...oldReports,
      installed,
      updateToSecond(),
      { rest: 'alpha is waited for', until: { condition: 'Progressing', is: 'True', mentions: 'waiting on alpha' } },
      { spec: { desiredUpdate: { version: '4.22.2', image: '$image/third', force: true } } },
      { rest: 'the third is installed', until: { history: 'Completed 4.22.2' } },
    ],
  },
  {
    id: 'update-restart',
    title: 'the engine is killed on the way, and started from the release that it was started from before',
    ...twoOperators,
    actions: [
      ...oldReports,
      installed,
      updateToSecond(),
      newAlpha,
      { rest: 'beta is waited for', until: { condition: 'Progressing', is: 'True', mentions: 'waiting on beta' } },
      { restart: 'first' },
      { rest: 'it was started again', until: { condition: 'Progressing', is: 'True', mentions: 'waiting on beta' } },
      newBeta,
      updated,
    ],
  },
  {
    id: 'update-engine',
    title: 'the engine is replaced by that of the new release on the way',
    rows: ['CV-28'],
    ...twoOperators,
    actions: [
      ...oldReports,
      installed,
      updateToSecond(),
      { rest: 'alpha is waited for', until: { condition: 'Progressing', is: 'True', mentions: 'waiting on alpha' } },
      { restart: 'second' },
      { rest: 'the new engine runs', until: { condition: 'Progressing', is: 'True', mentions: 'waiting on alpha' } },
      newAlpha,
      newBeta,
      updated,
    ],
  },
  {
    id: 'update-new-overrides',
    title: 'overrides change on the way',
    ...twoOperators,
    actions: [
      ...oldReports,
      installed,
      updateToSecond(),
      { rest: 'alpha is waited for', until: { condition: 'Progressing', is: 'True', mentions: 'waiting on alpha' } },
      {
        spec: {
          overrides: [
            { kind: 'ClusterOperator', group: 'config.openshift.io', namespace: '', name: 'alpha', unmanaged: true },
          ],
        },
      },
      { rest: 'alpha is not managed', until: { condition: 'Progressing', is: 'True', mentions: 'waiting on beta' } },
      newBeta,
      updated,
    ],
  },
];
