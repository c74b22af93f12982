import type { Verb } from './resource-type.ts';

/** One resource that the server has built in: what discovery says of it. Behaviour is in `kinds/`. */
export interface BuiltinRow {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: readonly SubresourceRow[];
}

/** `kind` is empty where the body is of the resource's own kind. */
export interface SubresourceRow {
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

const allVerbs: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const createOnly: readonly Verb[] = ['create'];
const readWrite: readonly Verb[] = ['get', 'patch', 'update'];

function own(name: string, verbs: readonly Verb[] = readWrite): SubresourceRow {
  return { name, verbs, kind: '', group: '', version: '' };
}

const status = own('status');
/** A connection to a running container. */
function stream(name: string, kind: string): SubresourceRow {
  return { name, verbs: ['create', 'get'], kind, group: '', version: 'v1' };
}

const scale: SubresourceRow = { name: 'scale', verbs: readWrite, kind: 'Scale', group: 'autoscaling', version: 'v1' };

function posted(name: string, apiVersion: string, kind: string): SubresourceRow {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { name, verbs: createOnly, kind, group, version };
}

interface Facts {
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly cluster?: boolean;
  readonly verbs?: readonly Verb[];
  readonly sub?: readonly SubresourceRow[];
  readonly plural?: string;
}

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(s|x)$/.test(lower)) return `${lower}es`;
  return lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}

/** Rows of one group version from `kind: facts`. */
function rowsOf(groupVersion: string, kinds: Readonly<Record<string, Facts>>): BuiltinRow[] {
  const [version = '', group = ''] = groupVersion.split('/').toReversed();
  return Object.entries(kinds).map(([kind, facts]) => ({
    group,
    version,
    kind,
    plural: facts.plural ?? pluralOf(kind),
    shortNames: facts.short ?? [],
    categories: facts.categories ?? [],
    namespaced: facts.cluster !== true,
    verbs: facts.verbs ?? allVerbs,
    subresources: facts.sub ?? [],
  }));
}

const all = ['all'];
const extensions = ['api-extensions'];

const core = rowsOf('v1', {
  Binding: { verbs: createOnly },
  ComponentStatus: { short: ['cs'], cluster: true, verbs: ['get', 'list'] },
  ConfigMap: { short: ['cm'] },
  Endpoints: { short: ['ep'], plural: 'endpoints' },
  Event: { short: ['ev'] },
  LimitRange: { short: ['limits'] },
  Namespace: {
    short: ['ns'],
    cluster: true,
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    sub: [own('finalize', ['update']), status],
  },
  Node: { short: ['no'], cluster: true, sub: [status] },
  PersistentVolumeClaim: { short: ['pvc'], sub: [status] },
  PersistentVolume: { short: ['pv'], cluster: true, sub: [status] },
  Pod: {
    short: ['po'],
    categories: all,
    sub: [
      stream('attach', 'PodAttachOptions'),
      posted('binding', 'v1', 'Binding'),
      posted('eviction', 'policy/v1', 'Eviction'),
      own('ephemeralcontainers'),
      stream('exec', 'PodExecOptions'),
      own('log', ['get']),
      stream('portforward', 'PodPortForwardOptions'),
      own('resize'),
      status,
    ],
  },
  PodTemplate: {},
  ReplicationController: { short: ['rc'], categories: all, sub: [scale, status] },
  ResourceQuota: { short: ['quota'], sub: [status] },
  Secret: {},
  ServiceAccount: { short: ['sa'], sub: [posted('token', 'authentication.k8s.io/v1', 'TokenRequest')] },
  Service: { short: ['svc'], categories: all, sub: [status] },
});

const apps = rowsOf('apps/v1', {
  ControllerRevision: {},
  DaemonSet: { short: ['ds'], categories: all, sub: [status] },
  Deployment: { short: ['deploy'], categories: all, sub: [scale, status] },
  ReplicaSet: { short: ['rs'], categories: all, sub: [scale, status] },
  StatefulSet: { short: ['sts'], categories: all, sub: [scale, status] },
});

const autoscaler: Facts = { short: ['hpa'], categories: all, sub: [status] };

const workloads = [
  ...apps,
  ...rowsOf('batch/v1', {
    CronJob: { short: ['cj'], categories: all, sub: [status] },
    Job: { categories: all, sub: [status] },
  }),
  ...rowsOf('autoscaling/v2', { HorizontalPodAutoscaler: autoscaler }),
  ...rowsOf('autoscaling/v1', { HorizontalPodAutoscaler: autoscaler }),
  ...rowsOf('policy/v1', { PodDisruptionBudget: { short: ['pdb'], sub: [status] } }),
];

const networking = [
  ...rowsOf('networking.k8s.io/v1', {
    IngressClass: { cluster: true },
    Ingress: { short: ['ing'], sub: [status] },
    IPAddress: { short: ['ip'], cluster: true },
    NetworkPolicy: { short: ['netpol'] },
    ServiceCIDR: { cluster: true, sub: [status] },
  }),
  ...rowsOf('discovery.k8s.io/v1', { EndpointSlice: {} }),
  ...rowsOf('events.k8s.io/v1', { Event: { short: ['ev'] } }),
];

const access = [
  ...rowsOf('rbac.authorization.k8s.io/v1', {
    ClusterRoleBinding: { cluster: true },
    ClusterRole: { cluster: true },
    RoleBinding: {},
    Role: {},
  }),
  ...rowsOf('authentication.k8s.io/v1', {
    SelfSubjectReview: { cluster: true, verbs: createOnly },
    TokenReview: { cluster: true, verbs: createOnly },
  }),
  ...rowsOf('authorization.k8s.io/v1', {
    LocalSubjectAccessReview: { verbs: createOnly },
    SelfSubjectAccessReview: { cluster: true, verbs: createOnly },
    SelfSubjectRulesReview: { cluster: true, verbs: createOnly },
    SubjectAccessReview: { cluster: true, verbs: createOnly },
  }),
  ...rowsOf('certificates.k8s.io/v1', {
    CertificateSigningRequest: { short: ['csr'], cluster: true, sub: [own('approval'), status] },
  }),
];

const clusterWide = [
  ...rowsOf('storage.k8s.io/v1', {
    CSIDriver: { cluster: true },
    CSINode: { cluster: true },
    CSIStorageCapacity: {},
    StorageClass: { short: ['sc'], cluster: true },
    VolumeAttachment: { cluster: true, sub: [status] },
  }),
  ...rowsOf('scheduling.k8s.io/v1', { PriorityClass: { short: ['pc'], cluster: true } }),
  ...rowsOf('node.k8s.io/v1', { RuntimeClass: { cluster: true } }),
  ...rowsOf('coordination.k8s.io/v1', { Lease: {} }),
  ...rowsOf('flowcontrol.apiserver.k8s.io/v1', {
    FlowSchema: { cluster: true, sub: [status] },
    PriorityLevelConfiguration: { cluster: true, sub: [status] },
  }),
];

const extension = [
  ...rowsOf('admissionregistration.k8s.io/v1', {
    MutatingWebhookConfiguration: { categories: extensions, cluster: true },
    ValidatingAdmissionPolicy: { categories: extensions, cluster: true, sub: [status] },
    ValidatingAdmissionPolicyBinding: { categories: extensions, cluster: true },
    ValidatingWebhookConfiguration: { categories: extensions, cluster: true },
  }),
  ...rowsOf('apiextensions.k8s.io/v1', {
    CustomResourceDefinition: { short: ['crd', 'crds'], categories: extensions, cluster: true, sub: [status] },
  }),
  ...rowsOf('apiregistration.k8s.io/v1', { APIService: { categories: extensions, cluster: true, sub: [status] } }),
];

/** Every resource built in, one row a group version.
 *  @see reference "types" 4.1 */
export const builtinRows: readonly BuiltinRow[] = [
  ...core,
  ...workloads,
  ...networking,
  ...access,
  ...clusterWide,
  ...extension,
];
