/** What pages need to know of a kind to reach its objects: nothing about what they mean. */
export interface KnownKind {
  readonly apiVersion: string;
  readonly plural: string;
  readonly group: string;
}

/** The kinds that install something. */
export const installationKinds: Readonly<Record<string, KnownKind>> = {
  BundleDeployment: { apiVersion: 'core.rukpak.io/v1alpha1', plural: 'bundledeployments', group: 'core.rukpak.io' },
  PlatformOperator: {
    apiVersion: 'platform.openshift.io/v1alpha1',
    plural: 'platformoperators',
    group: 'platform.openshift.io',
  },
  ClusterExtension: {
    apiVersion: 'olm.operatorframework.io/v1',
    plural: 'clusterextensions',
    group: 'olm.operatorframework.io',
  },
  Subscription: { apiVersion: 'operators.coreos.com/v1alpha1', plural: 'subscriptions', group: 'operators.coreos.com' },
};

/** An object of the API as pages read it. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string; readonly kind: string; readonly name: string }[];
    readonly uid?: string;
    readonly creationTimestamp?: string;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}
