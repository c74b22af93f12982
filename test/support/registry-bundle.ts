import type { JsonObject } from '../../src/base/index.ts';
import type { BundleFiles } from '../../src/formats/index.ts';

/** The operator of the tests: what a ClusterServiceVersion of a small operator with every kind of permission. */
export function acmeCsv(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const deployment = {
    name: 'acme-widget-controller-manager',
    label: { 'app.kubernetes.io/name': 'acme-widget' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { 'control-plane': 'manager' } },
      template: {
        metadata: { labels: { 'control-plane': 'manager' }, annotations: { 'example.acme/tier': 'template' } },
        spec: {
          serviceAccountName: 'acme-widget-controller',
          containers: [{ name: 'manager', image: 'registry.example/acme:v1', env: [{ name: 'LOG', value: 'info' }] }],
        },
      },
    },
  };
  const serviceAccountName = 'acme-widget-controller';
  const widgets = { apiGroups: ['widgets.acme.example'], resources: ['widgets'], verbs: ['get', 'list', 'watch'] };
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] };
  const configMaps = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create'] };
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: 'acme-widget.v1.2.3',
      annotations: { capabilities: 'Basic Install', 'example.acme/tier': 'csv' },
      ...metadata,
    },
    spec: {
      displayName: 'Acme Widget',
      installModes: ['AllNamespaces', 'OwnNamespace', 'SingleNamespace', 'MultiNamespace'].map((type) => ({
        type,
        supported: true,
      })),
      install: {
        strategy: 'deployment',
        spec: {
          clusterPermissions: [{ serviceAccountName, rules: [widgets] }],
          permissions: [{ serviceAccountName, rules: [configMaps, leases] }],
          deployments: [deployment],
        },
      },
      ...spec,
    },
  };
}

/** Install modes of a ClusterServiceVersion by their initials: `AO` supports AllNamespaces and OwnNamespace. */
export function installModes(initials: string): JsonObject[] {
  return ['AllNamespaces', 'OwnNamespace', 'SingleNamespace', 'MultiNamespace'].map((type) => ({
    type,
    supported: initials.includes(type.charAt(0)),
  }));
}

/** Files of a registry+v1 bundle: `manifests` in order, each written as JSON unless it is text. */
export function registryFiles(
  manifests: readonly (JsonObject | string)[],
  metadata: Readonly<Record<string, JsonObject | string>> = {},
): BundleFiles {
  const content = (value: JsonObject | string): Buffer =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const annotations = { annotations: { 'operators.operatorframework.io.bundle.package.v1': 'acme-widget' } };
  return {
    manifests: manifests.map((value, index) => ({ kind: 'file', name: `${index}.yaml`, content: content(value) })),
    metadata: Object.entries({ 'annotations.yaml': annotations, ...metadata })
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => ({ kind: 'file', name, content: content(value) })),
  };
}
