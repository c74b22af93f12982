/** Kinds of which controllers, authorization or admission read many objects at once, at each event or request: by storage key. Their objects are parsed,
 *  which takes ten times the memory of their text, so that all of a kind together are limited to less than what is stored otherwise. */
export const heldTogether: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'endpoints',
  'endpointslices.discovery.k8s.io',
  'replicationcontrollers',
  'replicasets.apps',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'controllerrevisions.apps',
  'jobs.batch',
  'cronjobs.batch',
  'horizontalpodautoscalers.autoscaling',
  'poddisruptionbudgets.policy',
  'persistentvolumeclaims',
  'persistentvolumes',
  'resourcequotas',
  'limitranges',
  'rolebindings.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
]);

/** Kinds of which authorization reads all objects of a namespace at each request in it: by storage key. */
export const readTogether: ReadonlySet<string> = new Set([
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
]);
