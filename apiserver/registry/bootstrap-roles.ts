import type { JsonObject } from '../../src/base/index.ts';
import type { KubeObject } from './kube-object.ts';

const group = 'rbac.authorization.k8s.io';
const read = ['get', 'list', 'watch'];
const write = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const all = ['*'];

function metadata(name: string, labels: Record<string, string> = {}): KubeObject['metadata'] {
  return {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
}

function rule(apiGroups: string[], resources: string[], verbs: string[]): JsonObject {
  return { apiGroups, resources, verbs };
}

function paths(nonResourceURLs: string[], verbs: string[] = ['get']): JsonObject {
  return { nonResourceURLs, verbs };
}

function role(name: string, rules: JsonObject[], labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: metadata(name, labels), rules };
}

function binding(name: string, roleName: string, groups: string[]): KubeObject {
  return {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: metadata(name),
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: roleName },
    subjects: groups.map((subject) => ({ apiGroup: group, kind: 'Group', name: subject })),
  };
}

const workloads = [
  'daemonsets',
  'deployments',
  'deployments/scale',
  'replicasets',
  'replicasets/scale',
  'statefulsets',
  'statefulsets/scale',
];

const viewRules = [
  rule(
    [''],
    [
      'configmaps',
      'endpoints',
      'persistentvolumeclaims',
      'persistentvolumeclaims/status',
      'pods',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'serviceaccounts',
      'services',
      'services/status',
    ],
    read,
  ),
  rule(
    [''],
    [
      'bindings',
      'events',
      'limitranges',
      'namespaces',
      'namespaces/status',
      'pods/log',
      'pods/status',
      'resourcequotas',
      'resourcequotas/status',
    ],
    read,
  ),
  rule(['discovery.k8s.io'], ['endpointslices'], read),
  rule(
    ['apps'],
    [
      'controllerrevisions',
      ...workloads,
      'daemonsets/status',
      'deployments/status',
      'replicasets/status',
      'statefulsets/status',
    ],
    read,
  ),
  rule(['autoscaling'], ['horizontalpodautoscalers', 'horizontalpodautoscalers/status'], read),
  rule(['batch'], ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'], read),
  rule(['policy'], ['poddisruptionbudgets', 'poddisruptionbudgets/status'], read),
  rule(['networking.k8s.io'], ['ingresses', 'ingresses/status', 'networkpolicies'], read),
];

const editRules = [
  rule([''], ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'], read),
  rule([''], ['serviceaccounts'], ['impersonate']),
  rule([''], ['pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'], write),
  rule([''], ['pods/eviction', 'serviceaccounts/token'], ['create']),
  rule(
    [''],
    [
      'configmaps',
      'events',
      'persistentvolumeclaims',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'secrets',
      'serviceaccounts',
      'services',
      'services/proxy',
    ],
    write,
  ),
  rule(['apps'], ['deployments/rollback', ...workloads], write),
  rule(['autoscaling'], ['horizontalpodautoscalers'], write),
  rule(['batch'], ['cronjobs', 'jobs'], write),
  rule(['policy'], ['poddisruptionbudgets'], write),
  rule(['networking.k8s.io'], ['ingresses', 'networkpolicies'], write),
  rule(['coordination.k8s.io'], ['leases'], [...read, ...write]),
];

const adminRules = [
  rule(['authorization.k8s.io'], ['localsubjectaccessreviews'], ['create']),
  rule([group], ['rolebindings', 'roles'], [...read, ...write]),
];

const health = ['/healthz', '/livez', '/readyz'];
const information = [...health, '/version', '/version/'];

/** Cluster roles of a fresh cluster. `admin`, `edit` and `view` hold the rules that aggregation would give them. */
export const clusterRoles: readonly KubeObject[] = [
  role('cluster-admin', [rule(all, all, all), paths(all, all)]),
  role('admin', [...adminRules, ...editRules, ...viewRules]),
  role('edit', [...editRules, ...viewRules], { [`${group}/aggregate-to-admin`]: 'true' }),
  role('view', viewRules, { [`${group}/aggregate-to-edit`]: 'true' }),
  role('system:discovery', [paths(['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', ...information])]),
  role('system:public-info-viewer', [paths(information)]),
  role('system:basic-user', [
    rule(['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
    rule(['authentication.k8s.io'], ['selfsubjectreviews'], ['create']),
  ]),
  role('system:auth-delegator', [
    rule(['authentication.k8s.io'], ['tokenreviews'], ['create']),
    rule(['authorization.k8s.io'], ['subjectaccessreviews'], ['create']),
  ]),
  role('system:monitoring', [paths([...health.flatMap((path) => [path, `${path}/*`]), '/metrics', '/metrics/slis'])]),
  role('system:service-account-issuer-discovery', [paths(['/.well-known/openid-configuration', '/openid/v1/jwks'])]),
];

/** Cluster role bindings of a fresh cluster. */
export const clusterRoleBindings: readonly KubeObject[] = [
  binding('cluster-admin', 'cluster-admin', ['system:masters']),
  binding('system:discovery', 'system:discovery', ['system:authenticated']),
  binding('system:basic-user', 'system:basic-user', ['system:authenticated']),
  binding('system:public-info-viewer', 'system:public-info-viewer', ['system:authenticated', 'system:unauthenticated']),
  binding('system:service-account-issuer-discovery', 'system:service-account-issuer-discovery', [
    'system:serviceaccounts',
  ]),
  binding('system:monitoring', 'system:monitoring', ['system:monitoring']),
];
