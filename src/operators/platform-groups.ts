const platformGroups: ReadonlySet<string> = new Set([
  'operators.coreos.com',
  'packages.operators.coreos.com',
  'core.rukpak.io',
  'olm.operatorframework.io',
  'platform.openshift.io',
]);

/** With a domain; those without one are all of Kubernetes. */
const kubernetesGroups: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** Whether the API group decides what is installed with whose permissions: an operator that could define, convert or open it would be an update of the
 *  platform. */
export function isPlatformGroup(group: string): boolean {
  return platformGroups.has(group);
}

/** Whether the API group is one of Kubernetes itself. Permissions on a group count for all of its versions. */
export function isKubernetesGroup(group: string): boolean {
  return !group.includes('.') || kubernetesGroups.has(group);
}
