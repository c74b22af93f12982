/** What the tests of migrations share: the operator of the examples, and the kinds that it moves between. */

export const sourceKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' } as const;
export const subscriptionKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' } as const;
export const csvKind = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' } as const;
export const extensionKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension' } as const;
export const catalogKind = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' } as const;
export const platformKind = { apiVersion: 'platform.openshift.io/v1alpha1', kind: 'PlatformOperator' } as const;
export const deploymentKind = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment' } as const;
export const gauge = { apiVersion: 'tide.example.com/v1', kind: 'Gauge' } as const;
export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: 'gauges.tide.example.com',
} as const;
export const package_ = 'tide-gauge';
