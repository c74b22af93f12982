/** API group of Bundle and BundleDeployment. */
export const group = 'core.rukpak.io';
/** `apiVersion` of both kinds. */
export const apiVersion = 'core.rukpak.io/v1alpha1';
/** Where Secrets and ConfigMaps that bundles name are looked up, unless configured. */
export const defaultSystemNamespace = 'rukpak-system';

/** Secrets in the system namespace that Longshore itself works with. */
export const ownSecretNames: readonly string[] = [
  'core-cert',
  'rukpak-ca',
  'rukpak-webhook-certificate',
  'rukpak-authority',
];

/** Labels that name the origin of an object, on generated Bundles and on everything that is installed. */
export const ownerKindLabel = 'core.rukpak.io/owner-kind';
/** Name of the Bundle or BundleDeployment that `ownerKindLabel` refers to. */
export const ownerNameLabel = 'core.rukpak.io/owner-name';
/** On generated Bundles: hash of the template that they were made from. */
export const templateHashLabel = 'core.rukpak.io/bundle-template-hash';
/** On every Bundle of a provisioner: its content is removed before the object is deleted. */
export const cachedBundleFinalizer = 'core.rukpak.io/delete-cached-bundle';
/** On a BundleDeployment, `"true"`: existing objects without another owner may be adopted. */
export const adoptAnnotation = 'core.rukpak.io/adopt';
/** On a BundleDeployment, `"true"`: what it installed is orphaned when it is deleted. */
export const orphanAnnotation = 'core.rukpak.io/orphan';
/** On a BundleDeployment, `"true"`: its CustomResourceDefinitions go even if objects of theirs exist that it did not install. */
export const deleteCrdsAnnotation = 'core.rukpak.io/delete-crds';
/** On a BundleDeployment of a chart: its tests are run once for each value. */
export const testAnnotation = 'core.rukpak.io/test';
/** On a Secret for git and http sources: the hosts that its credentials may be sent to, separated by commas. */
export const secretHostsAnnotation = 'core.rukpak.io/hosts';
/** On a Secret: `"true"` lets its credentials be sent to servers whose certificates are not verified. */
export const secretUnverifiedAnnotation = 'core.rukpak.io/allow-unverified-tls';
/** On an object that was installed and then orphaned: its former BundleDeployment. */
export const releasedFromAnnotation = 'core.rukpak.io/released-from';
/** On a namespace that was made for an installation: the BundleDeployment. It is deleted when the last installation leaves it and it is empty. */
export const namespaceMadeForAnnotation = 'core.rukpak.io/namespace-made-for';
/** On a BundleDeployment or a Bundle, `"true"`: it is not reconciled until the annotation is removed, except for its deletion. */
export const pausedAnnotation = 'core.rukpak.io/paused';
/** On a Secret of an installed operator: the Service, in the same namespace, that its certificate is issued for, and renewed. */
export const servingCertificateAnnotation = 'core.rukpak.io/serving-certificate-of';
/** On a webhook configuration or a CustomResourceDefinition: the Secret (`namespace/name`) whose authority it trusts. */
export const injectCaAnnotation = 'core.rukpak.io/inject-ca-from';

/** Field manager of everything that is installed for a BundleDeployment. */
export const installFieldManager = 'longshore';

/** On a CustomResourceDefinition: `"false"` switches all checks of its changes off. */
export const safeCrdUpgradeAnnotation = 'core.rukpak.io/safe-crd-upgrade-validation';
/** On a CustomResourceDefinition or a BundleDeployment: checks of changes that are switched off, separated by commas. */
export const crdSafetyIgnoreAnnotation = 'core.rukpak.io/crd-safety-ignore';

/** `provisionerClassName` of the provisioner for plain+v0 bundles. */
export const plainProvisionerClass = 'core-rukpak-io-plain';
/** `provisionerClassName` of the converter of registry+v1 bundles. */
export const registryProvisionerClass = 'core-rukpak-io-registry';
/** `provisionerClassName` of the provisioner for charts of Helm. */
export const helmProvisionerClass = 'core-rukpak-io-helm';

/** On a Bundle or a template: what it needs, a YAML or JSON list in the form of `metadata/dependencies.yaml`. */
export const dependenciesAnnotation = 'core.rukpak.io/dependencies';
/** On a Bundle or a template whose content does not contain it: its package version. */
export const packageVersionAnnotation = 'core.rukpak.io/package-version';
/** On a Bundle, written by the provisioner: the properties of its content, JSON, at most 64 KiB. */
export const bundlePropertiesAnnotation = 'core.rukpak.io/bundle-properties';
/** On a Bundle, written by the provisioner: where its content, or its upload, is stored in a registry, `registry/repository@sha256:<hex>`. */
export const storedContentAnnotation = 'core.rukpak.io/stored-content';
/** On a Bundle, written by the provisioner, `"true"`: it has dependencies. */
export const hasDependenciesLabel = 'core.rukpak.io/has-dependencies';
/** On a BundleDeployment, `"true"`: dependencies, its own and those that others have on it, do not hold it up. */
export const ignoreDependenciesAnnotation = 'core.rukpak.io/ignore-dependencies';
/** What is done about dependencies that are not met: warn, deny changes that break them, or nothing at all. */
export const dependencyPolicies = ['warn', 'enforce', 'off'] as const;
/** One of `dependencyPolicies`. */
export type DependencyPolicy = (typeof dependencyPolicies)[number];

/** Prefix of every annotation, and every image label, that describes a bundle of the Operator Lifecycle Manager. */
export const bundleAnnotationPrefix = 'operators.operatorframework.io.bundle.';
/** Names the package of a bundle. */
export const packageAnnotation: string = `${bundleAnnotationPrefix}package.v1`;

/** Lease of the process that works; RukPak's own name for it, so that the two never work at the same time. */
export const leaderLease = 'core.rukpak.io';
/** On a BundleDeployment, or a Bundle that was not generated: the number of its shard. On a leader's pod: its shard. */
export const shardLabel = 'core.rukpak.io/shard';
/** On the Lease of the first shard: how many there are. */
export const shardCountAnnotation = 'core.rukpak.io/shards';
/** On a leader's pod: where the other shards reach its contents. */
export const shardUrlAnnotation = 'core.rukpak.io/shard-url';

/** Label of the pod that holds it, which the Service of contents and uploads selects. */
export const leaderLabel = 'core.rukpak.io/leader';
