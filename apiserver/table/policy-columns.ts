import type { JsonValue } from '../../src/base/index.ts';
import { formatDuration } from '../../src/base/index.ts';
import type { KubeObject, TableColumn } from '../core/index.ts';
import { age, column, countColumn, createdAt, integerColumn, textColumn } from './columns.ts';
import { at, listAt, numberAt, objectAt, textAt } from './object-values.ts';

function subjects(kind: string): (binding: KubeObject) => string {
  return (binding) =>
    listAt(binding, 'subjects')
      .filter((subject) => textAt(subject, 'kind') === kind)
      .map((subject) => {
        const name = textAt(subject, 'name');
        return kind === 'ServiceAccount' ? `${textAt(subject, 'namespace')}/${name}` : name;
      })
      .join(', ');
}

const bindingColumns: readonly TableColumn[] = [
  column('Role', (object) => `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`),
  age,
  column('Users*', subjects('User')),
  column('Groups*', subjects('Group')),
  column('ServiceAccounts*', subjects('ServiceAccount')),
];

function targetText(target: JsonValue | undefined): string {
  const percent = at(target, 'averageUtilization');
  if (typeof percent === 'number') return `${percent}%`;
  return textAt(target, 'averageValue') || textAt(target, 'value') || '<unknown>';
}

const metricFields: Readonly<Record<string, string>> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
};

function metricText(metric: JsonValue, current: JsonValue | undefined): string {
  const type = textAt(metric, 'type');
  const field = (Object.hasOwn(metricFields, type) ? metricFields[type] : undefined) ?? '';
  const name = type.endsWith('Resource') ? `${textAt(metric, field, 'name')}: ` : '';
  return `${name}${targetText(at(current, field, 'current'))}/${targetText(at(metric, field, 'target'))}`;
}

/** `autoscaling/v1` has one number for the processor in place of a list. */
function legacyTargets(scaler: KubeObject): string[] {
  const target = numberAt(scaler, 'spec', 'targetCPUUtilizationPercentage');
  if (target === 0) return [];
  const current = at(scaler, 'status', 'currentCPUUtilizationPercentage');
  return [`cpu: ${typeof current === 'number' ? `${current}%` : '<unknown>'}/${target}%`];
}

function targetsText(scaler: KubeObject): string {
  const current = listAt(scaler, 'status', 'currentMetrics');
  const metrics = listAt(scaler, 'spec', 'metrics').map((metric, index) => metricText(metric, current[index]));
  const all = [...metrics, ...legacyTargets(scaler)];
  const more = all.length > 2 ? ` + ${all.length - 2} more...` : '';
  return all.length === 0 ? '<none>' : `${all.slice(0, 2).join(', ')}${more}`;
}

function requestConditions(request: KubeObject): string {
  const types = listAt(request, 'status', 'conditions').map((condition) => textAt(condition, 'type'));
  const decision = ['Denied', 'Approved'].find((type) => types.includes(type)) ?? 'Pending';
  const failed = types.includes('Failed') ? ['Failed'] : [];
  return [decision, ...failed, ...(textAt(request, 'status', 'certificate') === '' ? [] : ['Issued'])].join(',');
}

function requestedDuration(request: KubeObject): string {
  const seconds = at(request, 'spec', 'expirationSeconds');
  return typeof seconds === 'number' ? formatDuration(seconds * 1000) : '<none>';
}

function paramText(path: readonly string[]): (object: KubeObject) => string {
  return (object) => {
    if (at(object, ...path) === undefined) return '<unset>';
    const param = objectAt(object, ...path);
    if (path.at(-1) === 'paramKind') return `${textAt(param, 'apiVersion')}/${textAt(param, 'kind')}`;
    const [namespace, name] = [textAt(param, 'namespace'), textAt(param, 'name') || '*'];
    return namespace === '' ? name : `${namespace}/${name}`;
  };
}

function paramColumn(name: string, path: readonly string[]): TableColumn {
  return column(name, paramText(path));
}

/** Columns after Name, by `group/Kind`, of rules: who may do what, how many there must be. */
export const policyColumns: Readonly<Record<string, readonly TableColumn[]>> = {
  'policy/PodDisruptionBudget': [
    textColumn('Min Available', ['spec', 'minAvailable'], 'N/A'),
    textColumn('Max Unavailable', ['spec', 'maxUnavailable'], 'N/A'),
    integerColumn('Allowed Disruptions', ['status', 'disruptionsAllowed']),
    age,
  ],
  'autoscaling/HorizontalPodAutoscaler': [
    column('Reference', (object) => {
      const reference = objectAt(object, 'spec', 'scaleTargetRef');
      return `${textAt(reference, 'kind')}/${textAt(reference, 'name')}`;
    }),
    column('Targets', targetsText),
    textColumn('MinPods', ['spec', 'minReplicas'], '<unset>'),
    column('MaxPods', (object) => numberAt(object, 'spec', 'maxReplicas')),
    column('Replicas', (object) => numberAt(object, 'status', 'currentReplicas')),
    age,
  ],
  'autoscaling/Scale': [
    integerColumn('Desired', ['spec', 'replicas']),
    integerColumn('Available', ['status', 'replicas']),
    age,
  ],
  'rbac.authorization.k8s.io/Role': [createdAt],
  'rbac.authorization.k8s.io/ClusterRole': [createdAt],
  'rbac.authorization.k8s.io/RoleBinding': bindingColumns,
  'rbac.authorization.k8s.io/ClusterRoleBinding': bindingColumns,
  'certificates.k8s.io/CertificateSigningRequest': [
    age,
    textColumn('SignerName', ['spec', 'signerName']),
    textColumn('Requestor', ['spec', 'username']),
    column('RequestedDuration', requestedDuration),
    column('Condition', requestConditions),
  ],
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': [
    countColumn('Validations', ['spec', 'validations']),
    paramColumn('ParamKind', ['spec', 'paramKind']),
    age,
  ],
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': [
    textColumn('PolicyName', ['spec', 'policyName']),
    paramColumn('ParamRef', ['spec', 'paramRef']),
    age,
  ],
};
