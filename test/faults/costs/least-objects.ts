import type { JsonObject } from '../../../src/base/index.ts';

const containers = [{ name: 'c', image: 'registry.example/c:1' }];
const labels = { a: 'b' };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers } };
const endedPods = { spec: { containers, restartPolicy: 'Never' } };
const source = { type: 'http', http: { url: 'http://127.0.0.1:1/a.tgz' } };
const bundle = { provisionerClassName: 'core-rukpak-io-plain', source };
const modes = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];
const deployments = [{ name: 'a', spec: { replicas: 1, selector, template } }];
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', name: 'a' };
const clientConfig = { url: 'https://127.0.0.1:1/' };
const webhook = { name: 'a.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig };

/** What the objects of a kind need to be valid, metadata aside. Others need nothing, or are refused, which costs something as well. */
const leastOfKinds: Readonly<Record<string, JsonObject>> = {
  Binding: { target: { kind: 'Node', name: 'a' } },
  Bundle: { spec: bundle },
  BundleDeployment: {
    spec: { provisionerClassName: 'core-rukpak-io-plain', template: { metadata: { labels }, spec: bundle } },
  },
  CatalogSource: { spec: { sourceType: 'grpc', address: '127.0.0.1:1' } },
  ClusterCatalog: { spec: { source: { type: 'Image', image: { ref: '127.0.0.1:1/a:1' } } } },
  ClusterExtension: {
    spec: {
      namespace: 'default',
      serviceAccount: { name: 'a' },
      source: { sourceType: 'Catalog', catalog: { packageName: 'a' } },
    },
  },
  ClusterRoleBinding: { roleRef: { ...roleRef, kind: 'ClusterRole' } },
  ClusterServiceVersion: {
    spec: {
      displayName: 'a',
      version: '1.0.0',
      installModes: modes.map((type) => ({ type, supported: true })),
      install: { strategy: 'deployment', spec: { deployments } },
    },
  },
  CronJob: { spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: endedPods } } } },
  DaemonSet: { spec: { selector, template } },
  Deployment: { spec: { selector, template } },
  EndpointSlice: { addressType: 'IPv4', endpoints: [] },
  HorizontalPodAutoscaler: {
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' } },
  },
  InstallPlan: { spec: { approval: 'Manual', approved: false, clusterServiceVersionNames: ['a'] } },
  Job: { spec: { template: endedPods } },
  MutatingWebhookConfiguration: { webhooks: [webhook] },
  PersistentVolumeClaim: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  Pod: { metadata: { labels }, spec: { containers } },
  PodDisruptionBudget: { spec: { minAvailable: 1, selector } },
  ReplicaSet: { spec: { selector, template } },
  ReplicationController: { spec: { selector: labels, template } },
  RoleBinding: { roleRef: { ...roleRef, kind: 'Role' } },
  Service: { spec: { selector: labels, ports: [{ port: 1, name: 'c' }] } },
  StatefulSet: { spec: { serviceName: 'a', selector, template } },
  StorageClass: { provisioner: 'example.com/a' },
  Subscription: { spec: { name: 'a', source: 'a', sourceNamespace: 'olm', channel: 'a' } },
  ValidatingWebhookConfiguration: { webhooks: [webhook] },
};

/** The least that an object of a kind has beside its name. */
export function leastOf(kind: string): JsonObject {
  return leastOfKinds[kind] ?? {};
}
