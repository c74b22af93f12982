import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/index.ts';
import { dumpEnveloped } from '../protobuf-fields.ts';
import { type Area, area } from '../suite.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
const labels = { a: 'b' };
const selector = { matchLabels: labels };
const podSpec = {
  containers: [
    {
      name: 'c',
      image: 'i',
      command: ['a', 'b'],
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      ports: [{ containerPort: 80, name: 'http' }],
      resources: { requests: { cpu: '100m', memory: '1Gi' } },
      livenessProbe: { httpGet: { path: '/', port: 'http' }, initialDelaySeconds: 3 },
      readinessProbe: { tcpSocket: { port: 80 } },
      securityContext: { runAsUser: 0, capabilities: { drop: ['ALL'] } },
      volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true }],
    },
  ],
  volumes: [
    { name: 'v', configMap: { name: 'c', optional: true, defaultMode: 256 } },
    { name: 'e', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3607 } }] } },
  ],
  tolerations: [{ operator: 'Exists', tolerationSeconds: 0, effect: 'NoExecute' }],
  terminationGracePeriodSeconds: 0,
  restartPolicy: 'Always',
  automountServiceAccountToken: false,
};
const template = { metadata: { labels, annotations: { n: 'é' } }, spec: podSpec };
const once = { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Never' } };
const webhook = {
  name: 'w.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/w', caBundle: '' },
  rules: [{ operations: ['CREATE'], apiGroups: ['none.example.com'], apiVersions: ['*'], resources: ['*'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 1,
  failurePolicy: 'Ignore',
  namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
};

interface Sample {
  readonly kind: string;
  readonly path: string;
  readonly isClusterWide?: boolean;
  readonly rest: Readonly<Record<string, unknown>>;
}

const samples: readonly Sample[] = [
  { kind: 'Pod', path: 'api/v1/pods', rest: { spec: podSpec } },
  {
    kind: 'Service',
    path: 'api/v1/services',
    rest: { spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80, targetPort: 'http' }] } },
  },
  {
    kind: 'Endpoints',
    path: 'api/v1/endpoints',
    rest: { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 1 }] }] },
  },
  {
    kind: 'ServiceAccount',
    path: 'api/v1/serviceaccounts',
    rest: { imagePullSecrets: [{ name: 's' }], automountServiceAccountToken: false },
  },
  {
    kind: 'ResourceQuota',
    path: 'api/v1/resourcequotas',
    rest: { spec: { hard: { 'count/leases.coordination.k8s.io': '10' } } },
  },
  {
    kind: 'LimitRange',
    path: 'api/v1/limitranges',
    rest: { spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Ti' } }] } },
  },
  {
    kind: 'PersistentVolumeClaim',
    path: 'api/v1/persistentvolumeclaims',
    rest: {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: '' },
    },
  },
  { kind: 'PodTemplate', path: 'api/v1/podtemplates', rest: { template } },
  {
    kind: 'Deployment',
    path: 'apis/apps/v1/deployments',
    rest: {
      spec: { replicas: 0, selector, template, strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } } },
    },
  },
  {
    kind: 'DaemonSet',
    path: 'apis/apps/v1/daemonsets',
    rest: { spec: { selector, template: { ...template, spec: { ...podSpec, nodeSelector: { none: 'such' } } } } },
  },
  {
    kind: 'StatefulSet',
    path: 'apis/apps/v1/statefulsets',
    rest: {
      spec: {
        replicas: 0,
        selector,
        serviceName: 's',
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: 'd' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
  },
  {
    kind: 'ControllerRevision',
    path: 'apis/apps/v1/controllerrevisions',
    rest: { revision: 3, data: { spec: { a: [1, 'b', null, { c: 1.5 }] } } },
  },
  {
    kind: 'Job',
    path: 'apis/batch/v1/jobs',
    rest: { spec: { suspend: true, backoffLimit: 0, manualSelector: true, selector, template: once } },
  },
  {
    kind: 'CronJob',
    path: 'apis/batch/v1/cronjobs',
    rest: { spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: { template: once } } } },
  },
  {
    kind: 'HorizontalPodAutoscaler',
    path: 'apis/autoscaling/v2/horizontalpodautoscalers',
    rest: {
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { kind: 'Deployment', name: 'none', apiVersion: 'apps/v1' },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    },
  },
  {
    kind: 'PodDisruptionBudget',
    path: 'apis/policy/v1/poddisruptionbudgets',
    rest: { spec: { selector, minAvailable: '50%' } },
  },
  {
    kind: 'NetworkPolicy',
    path: 'apis/networking.k8s.io/v1/networkpolicies',
    rest: {
      spec: {
        podSelector: {},
        policyTypes: ['Ingress'],
        ingress: [
          { from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }], ports: [{ port: 80, endPort: 90 }] },
        ],
      },
    },
  },
  {
    kind: 'Ingress',
    path: 'apis/networking.k8s.io/v1/ingresses',
    rest: {
      spec: {
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
            },
          },
        ],
      },
    },
  },
  {
    kind: 'Role',
    path: 'apis/rbac.authorization.k8s.io/v1/roles',
    rest: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] }] },
  },
  {
    kind: 'RoleBinding',
    path: 'apis/rbac.authorization.k8s.io/v1/rolebindings',
    rest: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', name: 'u' }],
    },
  },
  {
    kind: 'Lease',
    path: 'apis/coordination.k8s.io/v1/leases',
    rest: {
      spec: {
        holderIdentity: 'h',
        leaseDurationSeconds: 15,
        renewTime: '2024-01-02T03:04:05.678901Z',
        leaseTransitions: 0,
      },
    },
  },
  {
    kind: 'EndpointSlice',
    path: 'apis/discovery.k8s.io/v1/endpointslices',
    rest: {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: false } }],
      ports: [{ name: '', port: 80 }],
    },
  },
  {
    kind: 'PriorityClass',
    path: 'apis/scheduling.k8s.io/v1/priorityclasses',
    isClusterWide: true,
    rest: { value: 1000, description: 'd' },
  },
  {
    kind: 'StorageClass',
    path: 'apis/storage.k8s.io/v1/storageclasses',
    isClusterWide: true,
    rest: { provisioner: 'p.example.com', parameters: { a: 'b' }, allowVolumeExpansion: false },
  },
  {
    kind: 'ClusterRole',
    path: 'apis/rbac.authorization.k8s.io/v1/clusterroles',
    isClusterWide: true,
    rest: {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { none: 'such' } }] },
      rules: [{ nonResourceURLs: ['/a'], verbs: ['get'] }],
    },
  },
  {
    kind: 'IngressClass',
    path: 'apis/networking.k8s.io/v1/ingressclasses',
    isClusterWide: true,
    rest: { spec: { controller: 'example.com/c' } },
  },
  {
    kind: 'RuntimeClass',
    path: 'apis/node.k8s.io/v1/runtimeclasses',
    isClusterWide: true,
    rest: { handler: 'h', overhead: { podFixed: { cpu: '1' } } },
  },
  { kind: 'Namespace', path: 'api/v1/namespaces', isClusterWide: true, rest: {} },
  {
    kind: 'MutatingWebhookConfiguration',
    path: 'apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    isClusterWide: true,
    rest: { webhooks: [webhook] },
  },
  {
    kind: 'CSIDriver',
    path: 'apis/storage.k8s.io/v1/csidrivers',
    isClusterWide: true,
    rest: { spec: { attachRequired: false } },
  },
  {
    kind: 'Node',
    path: 'api/v1/nodes',
    isClusterWide: true,
    rest: { spec: { taints: [{ key: 'none', effect: 'NoSchedule' }] } },
  },
  {
    kind: 'PersistentVolume',
    path: 'api/v1/persistentvolumes',
    isClusterWide: true,
    rest: {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/none' },
        storageClassName: 'none',
      },
    },
  },
  {
    kind: 'FlowSchema',
    path: 'apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    isClusterWide: true,
    rest: { spec: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 9999 } },
  },
  {
    kind: 'CustomResourceDefinition',
    path: 'apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    isClusterWide: true,
    rest: {
      spec: { group: 'none.example.com', scope: 'Cluster', names: { plural: 'nones', kind: 'None' }, versions: [] },
    },
  },
  {
    kind: 'Event',
    path: 'api/v1/events',
    rest: {
      involvedObject: { kind: 'Pod', name: 'p' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
      count: 2,
      firstTimestamp: '2024-01-02T03:04:05Z',
      source: { component: 'c' },
    },
  },
  {
    kind: 'ValidatingAdmissionPolicy',
    path: 'apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    isClusterWide: true,
    rest: { spec: { matchConstraints: { resourceRules: webhook.rules }, validations: [{ expression: 'true' }] } },
  },
  {
    kind: 'ValidatingAdmissionPolicyBinding',
    path: 'apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    isClusterWide: true,
    rest: {
      spec: {
        policyName: 'none',
        validationActions: ['Deny'],
        matchResources: { objectSelector: { matchLabels: { a: 'b' } } },
      },
    },
  },
];

/** Whether an absent value is written as null is the business of JSON. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    name,
    withoutNulls(member ?? null),
  ]);
  return Object.fromEntries(members.filter(([, member]) => member !== null));
}

function place(sample: Sample, namespace: string): string {
  if (sample.isClusterWide === true) return `/${sample.path}`;
  const parts = sample.path.split('/');
  const plural = parts.pop() ?? '';
  return `/${parts.join('/')}/namespaces/${namespace}/${plural}`;
}

/** Every kind that operators write, answered as protobuf and sent back as it came. Nothing is stored: no controller has a hand in it. */
export const cases: Area = area('Protobuf of each kind', (it) => {
  for (const sample of samples) {
    it(`W015 takes a ${sample.kind} as it answered it`, async (api) => {
      const name = sample.isClusterWide === true ? api.unique('it') : 'it';
      const path = `${place(sample, api.namespace)}?dryRun=All`;
      const parts = sample.path.split('/').slice(1, -1);
      const body = { apiVersion: parts.join('/'), kind: sample.kind, metadata: { name, labels }, ...sample.rest };
      const answer = await api.ask('POST', path, { body, accept: protobuf, keep: () => undefined });
      api.record('fields', dumpEnveloped(answer.raw));
      await api.ask('POST', path, {
        rawBody: answer.raw,
        contentType: protobuf,
        keep: (object) => withoutNulls({ ...(object as JsonObject), metadata: null }),
      });
    });
  }
});
