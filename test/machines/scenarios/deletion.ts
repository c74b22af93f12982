import type { JsonObject } from '../../../src/base/index.ts';
import { machine, machineObject, node, nodeOf, pod, podOn, running } from '../objects.ts';
import type { Action, Scenario, State } from '../scenario.ts';

const isAbsent: State = { of: machine('a'), isAbsent: true };
const gone: Action = { rest: 'deleted', until: isAbsent };
const hook = (name: string, owner = 'controller'): JsonObject => ({ name, owner });
const preDrain = { lifecycleHooks: { preDrain: [hook('First'), hook('Second', 'other')] } };
const preTerminate = { lifecycleHooks: { preTerminate: [hook('Detach'), hook('Flush', 'other')] } };
const setHooks = (lifecycleHooks: JsonObject): Action => ({ patch: machine('a'), merge: { spec: { lifecycleHooks } } });
const masters = { 'node-role.kubernetes.io/master': '' };

function budget(spec: JsonObject): JsonObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'machines', name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  };
}

/** Evictions are refused for a reason that no budget has. */
const refusal = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  name: 'no-evictions',
};
const refusalBinding = { ...refusal, kind: 'ValidatingAdmissionPolicyBinding' };
const refuseEvictions: readonly Action[] = [
  {
    apply: {
      apiVersion: refusal.apiVersion,
      kind: refusal.kind,
      metadata: { name: refusal.name },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] },
          ],
        },
        validations: [{ expression: 'false', message: 'no pod is evicted today' }],
      },
    },
  },
  {
    apply: {
      apiVersion: refusal.apiVersion,
      kind: refusalBinding.kind,
      metadata: { name: refusal.name },
      spec: { policyName: refusal.name, validationActions: ['Deny'] },
    },
  },
];

const web = podOn('a', 'web', { metadata: { labels: { app: 'web' } } });
const isEvicted: State = { of: pod('web'), isAbsent: true };

/** What happens when a machine is deleted. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'delete-running',
    title: 'a machine with pods is deleted',
    rows: ['ML-01', 'ML-05', 'ML-11'],
    actions: [...running('a'), { apply: web }, { rest: 'running' }, { delete: machine('a') }, gone],
  },
  {
    id: 'delete-pre-drain',
    title: 'preDrain hooks of two owners are removed one after the other',
    rows: ['ML-02', 'ML-04', 'ML-12', 'ML-13'],
    actions: [
      ...running('a', { spec: preDrain }),
      { apply: web },
      { rest: 'running' },
      { delete: machine('a') },
      { rest: 'two hooks' },
      setHooks({ preDrain: [hook('Second', 'other')] }),
      { rest: 'one hook' },
      setHooks({ preDrain: null }),
      gone,
    ],
  },
  {
    id: 'delete-pre-terminate',
    title: 'preTerminate hooks hold the instance after the drain',
    rows: ['ML-03', 'ML-04', 'ML-16', 'ML-17'],
    actions: [
      ...running('a', { spec: preTerminate }),
      { apply: web },
      { rest: 'running' },
      { delete: machine('a') },
      { rest: 'drained', until: { of: machine('a'), has: 'Drain finished successfully' } },
      setHooks({ preTerminate: [hook('Detach')] }),
      { rest: 'one hook' },
      setHooks({ preTerminate: null }),
      gone,
    ],
  },
  {
    id: 'delete-both-reversed',
    title: 'the preTerminate hooks are removed before the preDrain hooks',
    rows: ['ML-27'],
    actions: [
      ...running('a', { spec: { lifecycleHooks: { ...preDrain.lifecycleHooks, ...preTerminate.lifecycleHooks } } }),
      { delete: machine('a') },
      { rest: 'all hooks' },
      setHooks({ preTerminate: null }),
      { rest: 'terminable' },
      setHooks({ preDrain: null }),
      gone,
    ],
  },
  {
    id: 'delete-excluded',
    title: 'the node is excluded from draining',
    rows: ['ML-34'],
    actions: [
      ...running('a', {
        metadata: {
          labels: { 'machine.openshift.io/cluster-api-cluster': 'test' },
          annotations: { 'machine.openshift.io/exclude-node-draining': '' },
        },
        spec: preTerminate,
      }),
      { apply: web },
      { rest: 'running' },
      { delete: machine('a') },
      { rest: 'skipped', until: { of: machine('a'), has: 'Node drain skipped' } },
      setHooks({ preTerminate: null }),
      gone,
    ],
  },
  {
    id: 'delete-without-node',
    title: 'a machine that never had a Node, with a preDrain hook',
    rows: ['ML-35'],
    actions: [
      { apply: machineObject('a', { spec: preDrain }) },
      { rest: 'provisioned', until: { of: machine('a'), has: '"phase":"Provisioned"' } },
      { delete: machine('a') },
      gone,
    ],
  },
  {
    id: 'delete-missing-node',
    title: 'the Node was deleted before',
    rows: ['ML-36'],
    actions: [
      ...running('a', { spec: preTerminate }),
      { delete: node('a') },
      { rest: 'running' },
      { delete: machine('a') },
      { rest: 'drained', until: { of: machine('a'), has: 'Drain finished successfully' } },
      setHooks({ preTerminate: null }),
      gone,
    ],
  },
  {
    id: 'delete-failed',
    title: 'a failed machine with hooks',
    rows: ['ML-48'],
    actions: [
      ...running('a', { spec: preTerminate }),
      { provider: 'exists', answers: { exists: false } },
      { patch: machine('a'), merge: { metadata: { labels: { poke: '1' } } } },
      { rest: 'failed', until: { of: machine('a'), has: '"phase":"Failed"' } },
      { delete: machine('a') },
      { rest: 'drained', until: { of: machine('a'), has: 'Drain finished successfully' } },
      setHooks({ preTerminate: null }),
      gone,
    ],
  },
  {
    id: 'delete-error',
    title: 'the provider fails to delete, and succeeds later',
    actions: [
      ...running('a'),
      { rest: 'running' },
      { provider: 'delete', answers: { error: { reason: 'DeleteError', message: 'locked' } } },
      { delete: machine('a') },
      { rest: 'failing', until: { called: 'delete a' } },
      { provider: 'delete', answers: null },
      gone,
    ],
  },
  {
    id: 'delete-requeue',
    title: 'the provider asks for time',
    rows: ['ML-46'],
    actions: [
      ...running('a'),
      { rest: 'running' },
      { provider: 'delete', answers: { requeueAfterSeconds: 1 } },
      { delete: machine('a') },
      { rest: 'waiting', until: { called: 'delete a' } },
      { provider: 'delete', answers: null },
      gone,
    ],
  },
  {
    id: 'delete-slow',
    title: 'the instance still exists after its deletion was requested',
    rows: ['ML-18'],
    actions: [
      ...running('a'),
      { rest: 'running' },
      { provider: 'exists', answers: { exists: true } },
      { delete: machine('a') },
      { rest: 'terminating', until: { called: 'delete a' } },
      { provider: 'exists', answers: null },
      gone,
    ],
  },
  {
    id: 'delete-invalid-configuration',
    title: 'the provider refuses the configuration of a machine without addresses',
    rows: ['ML-45'],
    actions: [
      { provider: 'create', answers: { error: { reason: 'InvalidConfiguration', message: 'no such size' } } },
      { apply: machineObject('a') },
      { rest: 'failed', until: { of: machine('a'), has: '"phase":"Failed"' } },
      { provider: 'delete', answers: { error: { reason: 'InvalidConfiguration', message: 'no such size' } } },
      { delete: machine('a') },
      gone,
    ],
  },
  {
    id: 'delete-invalid-machine',
    title: 'a machine without the label of its cluster is deleted',
    rows: ['ML-50'],
    actions: [
      ...running('a'),
      { patch: machine('a'), merge: { metadata: { labels: { 'machine.openshift.io/cluster-api-cluster': null } } } },
      { delete: machine('a') },
      { rest: 'deleting' },
    ],
  },
  {
    id: 'delete-other-finalizer',
    title: 'another finalizer remains when the own one is removed',
    rows: ['ML-49'],
    actions: [
      ...running('a', {
        metadata: { labels: { 'machine.openshift.io/cluster-api-cluster': 'test' }, finalizers: ['example.com/other'] },
      }),
      { delete: machine('a') },
      { rest: 'one finalizer', until: { of: machine('a'), lacks: 'machine.machine.openshift.io' } },
      { patch: machine('a'), merge: { metadata: { labels: { poke: '1' } } } },
      { rest: 'poked' },
    ],
  },
  {
    id: 'drain-budget',
    title: 'a PodDisruptionBudget holds a pod, and lets it go',
    rows: ['ML-14', 'ML-15', 'ML-41', 'ML-58'],
    actions: [
      ...running('a'),
      { apply: budget({ minAvailable: 1 }) },
      { apply: web },
      { rest: 'running' },
      { delete: machine('a') },
      { rest: 'held' },
      {
        patch: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: 'machines', name: 'web' },
        merge: { spec: { minAvailable: 0 } },
      },
      gone,
    ],
  },
  {
    id: 'drain-kinds-of-pods',
    title: 'pods of a DaemonSet, static ones, with local storage, without a controller, and finished',
    rows: ['ML-40'],
    actions: [
      ...running('a', { spec: preTerminate }),
      { apply: podOn('a', 'static', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }) },
      { apply: podOn('a', 'local', { spec: { volumes: [{ name: 'x', emptyDir: {} }] } }) },
      { apply: podOn('a', 'naked') },
      { apply: { ...podOn('a', 'finished'), status: { phase: 'Succeeded' } } },
      { rest: 'running' },
      { delete: machine('a') },
      { rest: 'drained', until: { of: machine('a'), has: 'Drain finished successfully' } },
    ],
  },
  {
    id: 'drain-control-plane',
    title: 'two machines of the control plane and one worker are deleted at once',
    rows: ['ML-37'],
    actions: [
      ...running('a', { spec: preTerminate }, masters),
      ...running('b', { spec: preTerminate }, masters),
      ...running('c', { spec: preTerminate }),
      { rest: 'running' },
      { delete: machine('a') },
      { await: { of: machine('a'), has: 'Drain finished successfully' } },
      { delete: machine('b') },
      { delete: machine('c') },
      { rest: 'guarded', until: { of: machine('c'), has: 'Drain finished successfully' } },
      setHooks({ preTerminate: null }),
      { rest: 'second', until: { of: machine('b'), has: 'Drain finished successfully' } },
    ],
  },
  {
    id: 'drain-cordoned-control-plane',
    title: 'a node of the control plane that is cordoned already',
    rows: ['ML-38'],
    actions: [
      ...running('a', {}, masters),
      { patch: node('a'), merge: { spec: { unschedulable: true } } },
      { rest: 'running' },
      { delete: machine('a') },
      gone,
    ],
  },
  {
    id: 'drain-unreachable',
    title: 'the node does not answer',
    rows: ['ML-39'],
    actions: [
      ...running('a', { spec: preTerminate }),
      { apply: web },
      {
        patch: node('a'),
        merge: { status: nodeOf('a', {}, 'Unknown')['status'] as JsonObject },
        subresource: 'status',
      },
      { rest: 'unknown' },
      { delete: machine('a') },
      { rest: 'drained', until: { of: machine('a'), has: 'Drain finished successfully' } },
      { await: isEvicted },
    ],
  },
  {
    id: 'drain-refused',
    title: 'evictions are refused by an admission policy, and allowed later',
    rows: ['ML-42'],
    actions: [
      ...running('a'),
      { apply: web },
      ...refuseEvictions,
      { rest: 'running' },
      { delete: machine('a') },
      { rest: 'refused' },
      { delete: refusalBinding },
      gone,
    ],
  },
  {
    id: 'drain-replaced-pod',
    title: 'a pod that is evicted is replaced by one of the same name on another node',
    rows: ['ML-43'],
    actions: [
      ...running('a', { spec: preTerminate }),
      { apply: nodeOf('b') },
      { apply: podOn('a', 'web', { metadata: { finalizers: ['example.com/held'] } }) },
      { rest: 'running' },
      { delete: machine('a') },
      { await: { of: pod('web'), has: 'deletionTimestamp' } },
      { patch: pod('web'), merge: { metadata: { finalizers: null } } },
      { await: isEvicted },
      { apply: podOn('b', 'web') },
      { rest: 'drained', until: { of: machine('a'), has: 'Drain finished successfully' } },
    ],
  },
  {
    id: 'delete-restarted',
    title: 'the controllers start again after a drain, and a pod is bound to the node',
    rows: ['ML-44'],
    actions: [
      ...running('a', { spec: preTerminate }),
      { apply: web },
      { rest: 'running' },
      { delete: machine('a') },
      { rest: 'drained', until: { of: machine('a'), has: 'Drain finished successfully' } },
      { apply: podOn('a', 'late') },
      { restart: true },
      { rest: 'restarted' },
      setHooks({ preTerminate: null }),
      gone,
    ],
  },
];
