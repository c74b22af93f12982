import type { KindFacts, MetadataChecks } from '../core/index.ts';

const createsAbsent: ReadonlySet<string> = new Set([
  'clusterrolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'endpoints',
  'events',
  'leases.coordination.k8s.io',
  'limitranges',
  'rolebindings.rbac.authorization.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'runtimeclasses.node.k8s.io',
  'services',
]);

const needsVersion: ReadonlySet<string> = new Set([
  'apiservices.apiregistration.k8s.io',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'leases.coordination.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'poddisruptionbudgets.policy',
  'runtimeclasses.node.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'volumeattachments.storage.k8s.io',
]);

const answersWithObject: ReadonlySet<string> = new Set([
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'namespaces',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
]);

const usual: MetadataChecks = { step: true, asNew: 0 };
const onceMore: MetadataChecks = { step: true, asNew: 1 };
const twiceMore: MetadataChecks = { step: true, asNew: 2 };
const noMore: MetadataChecks = { step: false, asNew: 0 };

const metadataChecks: ReadonlyMap<string, MetadataChecks> = new Map([
  ['clusterrolebindings.rbac.authorization.k8s.io', twiceMore],
  ['clusterroles.rbac.authorization.k8s.io', twiceMore],
  ['configmaps', onceMore],
  ['controllerrevisions.apps', onceMore],
  ['endpoints', onceMore],
  ['events', noMore],
  ['ingressclasses.networking.k8s.io', onceMore],
  ['ingresses.networking.k8s.io', onceMore],
  ['networkpolicies.networking.k8s.io', onceMore],
  ['persistentvolumeclaims', twiceMore],
  ['persistentvolumes', onceMore],
  ['poddisruptionbudgets.policy', noMore],
  ['pods', onceMore],
  ['replicasets.apps', onceMore],
  ['rolebindings.rbac.authorization.k8s.io', twiceMore],
  ['roles.rbac.authorization.k8s.io', twiceMore],
  ['runtimeclasses.node.k8s.io', onceMore],
  ['secrets', onceMore],
  ['serviceaccounts', onceMore],
  ['services', onceMore],
  ['storageclasses.storage.k8s.io', onceMore],
]);

/** The facts of the kind with this storage key. */
export function kindFacts(storageKey: string): KindFacts {
  return {
    allowsCreateOnUpdate: createsAbsent.has(storageKey),
    allowsUnconditionalUpdate: !needsVersion.has(storageKey),
    answersDeleteWithObject: answersWithObject.has(storageKey),
    metadataChecks: metadataChecks.get(storageKey) ?? usual,
  };
}
