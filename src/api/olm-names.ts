/** Annotations of the kinds of OLM and of what OLM writes.
 *  @see docs/spec/olm-v0.md#constant-index */
export const olmAnnotations = {
  operatorGroup: 'olm.operatorGroup',
  operatorGroupNamespace: 'olm.operatorGroupNamespace',
  operatorNamespace: 'olm.operatorNamespace',
  targetNamespaces: 'olm.targetNamespaces',
  skipRange: 'olm.skipRange',
  properties: 'operatorframework.io/properties',
  providedApis: 'olm.providedAPIs',
  excludeGlobalResolution: 'olm.operatorframework.io/exclude-global-namespace-resolution',
  unpackTimeout: 'operatorframework.io/bundle-unpack-timeout',
  unpackMinRetryInterval: 'operatorframework.io/bundle-unpack-min-retry-interval',
  generatedBy: 'olm.generated-by',
  catalogImageTemplate: 'olm.catalogImageTemplate',
  caHash: 'olmcahash',
} as const;

/** Labels of what OLM writes.
 *  @see docs/spec/olm-v0.md#constant-index */
export const olmLabels = {
  owner: 'olm.owner',
  ownerNamespace: 'olm.owner.namespace',
  ownerKind: 'olm.owner.kind',
  managed: 'olm.managed',
  copiedFrom: 'olm.copiedFrom',
  permissionsHash: 'olm.permissions.hash',
  deploymentSpecHash: 'olm.deployment-spec-hash',
  catalogSource: 'olm.catalogSource',
  podSpecHash: 'olm.pod-spec-hash',
  serviceSpecHash: 'olm.service-spec-hash',
  catalogUpdate: 'catalogsource.operators.coreos.com/update',
  unpackRef: 'operatorframework.io/bundle-unpack-ref',
  webhookGenerateName: 'olm.webhook-description-generate-name',
  webhookHash: 'olm.webhook-description-hash',
} as const;

/** Labels whose key ends with an identifier.
 *  @see docs/spec/olm-v0.md#constant-index */
export const olmLabelPrefixes = {
  operatorGroupUid: 'olm.operatorgroup.uid/',
  api: 'olm.api.',
  component: 'operators.coreos.com/',
  aggregateTo: 'olm.opgroup.permissions/aggregate-to-',
} as const;

/** Start of the annotation of a CustomResourceDefinition that names a ClusterServiceVersion it was installed for; a hash follows.
 *  @see docs/spec/olm-v0.md#constant-index */
export const installedAlongsidePrefix = 'operatorframework.io/installed-alongside-';

/** On every ClusterServiceVersion: what it owns is removed before the object is deleted.
 *  @see docs/spec/olm-v0.md#constant-index */
export const csvCleanupFinalizer = 'operators.coreos.com/csv-cleanup';

/** Environment variable of every container of an operator.
 *  @see docs/spec/olm-v0.md#constant-index */
export const operatorConditionVariable = 'OPERATOR_CONDITION_NAME';

/** Field manager of all writes of the controllers of OLM's kinds. */
export const olmFieldManager = 'longshore-olm';
