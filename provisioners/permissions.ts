import { bundleDeploymentResource } from '../src/api/index.ts';
import type { Permissions } from '../src/controller/index.ts';
import { groupOf } from '../src/kube/index.ts';

const apiGroups = [groupOf(bundleDeploymentResource.apiVersion)];
const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** What the controller of BundleDeployments needs for itself; what it may install is granted separately. */
export const bundleDeploymentPermissions: Permissions = {
  cluster: [
    { apiGroups, resources: ['bundledeployments', 'bundles'], verbs: all },
    { apiGroups, resources: ['bundledeployments/status'], verbs: ['update', 'patch'] },
    // Bundles and objects that are owned by a BundleDeployment hold up its deletion.
    { apiGroups, resources: ['bundledeployments/finalizers'], verbs: ['update'] },
    // Kinds that come and go, and the pod security levels of namespaces.
    { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  ],
  system: [
    // What charts were rendered to that render to something else each time.
    { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'create', 'patch', 'delete'] },
  ],
};

/** What the controller of Bundles needs for itself. */
export const bundlePermissions: Permissions = {
  cluster: [
    { apiGroups, resources: ['bundles'], verbs: ['get', 'list', 'watch', 'update', 'patch'] },
    { apiGroups, resources: ['bundles/status'], verbs: ['update', 'patch'] },
    { apiGroups, resources: ['bundles/finalizers'], verbs: ['update'] },
  ],
  system: [
    // Pull secrets and credentials of sources, and sources that are made of ConfigMaps.
    { apiGroups: [''], resources: ['secrets', 'configmaps', 'serviceaccounts'], verbs: ['get', 'list', 'watch'] },
  ],
};
