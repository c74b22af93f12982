/** A kind that a bundle may bring beside its ClusterServiceVersion. */
export interface SupportedKind {
  readonly group: string;
  /** The default for a manifest without apiVersion. */
  readonly version: string;
  readonly isNamespaced: boolean;
}

function kinds(
  group: string,
  version: string,
  names: { readonly namespaced?: readonly string[]; readonly cluster?: readonly string[] },
): [string, SupportedKind][] {
  const row =
    (isNamespaced: boolean) =>
    (kind: string): [string, SupportedKind] => [kind, { group, version, isNamespaced }];
  return [...(names.namespaced ?? []).map(row(true)), ...(names.cluster ?? []).map(row(false))];
}

/** The kinds of other objects that the format allows. CustomResourceDefinitions and the ClusterServiceVersion are not among them.
 *  @see docs/spec/registry-v1-rendering.md#other-objects */
export const supportedKinds: ReadonlyMap<string, SupportedKind> = new Map([
  ...kinds('', 'v1', { namespaced: ['ConfigMap', 'Secret', 'Service', 'ServiceAccount'] }),
  ...kinds('rbac.authorization.k8s.io', 'v1', {
    namespaced: ['Role', 'RoleBinding'],
    cluster: ['ClusterRole', 'ClusterRoleBinding'],
  }),
  ...kinds('policy', 'v1', { namespaced: ['PodDisruptionBudget'] }),
  ...kinds('networking.k8s.io', 'v1', { namespaced: ['NetworkPolicy'] }),
  ...kinds('monitoring.coreos.com', 'v1', { namespaced: ['PrometheusRule', 'ServiceMonitor', 'PodMonitor'] }),
  ...kinds('scheduling.k8s.io', 'v1', { cluster: ['PriorityClass'] }),
  ...kinds('console.openshift.io', 'v1', {
    cluster: ['ConsoleYAMLSample', 'ConsoleQuickStart', 'ConsoleCLIDownload', 'ConsoleLink', 'ConsolePlugin'],
  }),
  ...kinds('autoscaling.k8s.io', 'v1', { cluster: ['VerticalPodAutoscaler'] }),
]);

/** `apps/v1` → `apps`, `v1` and nothing → the core group, ''. */
export function groupOf(apiVersion = ''): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

/** Whether an object is of a kind that the format allows, and not of a namesake in the API of an operator: `Role` of IAM, for example. Without
 *  `apiVersion` it is. */
export function isStandardKind({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind: string }): boolean {
  const supported = supportedKinds.get(kind);
  return supported !== undefined && (!apiVersion || groupOf(apiVersion) === supported.group);
}

/** The rules of the format for a kind; undefined for one that it does not allow. */
export function findKind(kind: string): SupportedKind | undefined {
  return supportedKinds.get(kind);
}
