import type {
  CatalogSource,
  ClusterServiceVersion,
  InstallPlan,
  OperatorGroup,
  Subscription,
} from '../../src/api/index.ts';

const apiVersion = 'operators.coreos.com/v1alpha1';
const namespace = 'ns';

/** A Subscription to the package of its name. */
export function subscriptionOf(
  name: string,
  {
    spec = {},
    status,
    annotations = {},
  }: {
    readonly spec?: Partial<Subscription['spec']>;
    readonly status?: Partial<Subscription['status']>;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): Subscription {
  const whole = status === undefined ? {} : { status: { lastUpdated: '2026-01-01T00:00:00Z', ...status } };
  return {
    apiVersion,
    kind: 'Subscription',
    metadata: { name, namespace, uid: `uid-${name}`, annotations },
    spec: { name, source: 'shop', sourceNamespace: namespace, ...spec },
    ...whole,
  };
}

export function csvOf(
  name: string,
  {
    phase = 'Succeeded',
    spec = {},
    annotations = {},
  }: {
    readonly phase?: string;
    readonly spec?: Partial<ClusterServiceVersion['spec']>;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): ClusterServiceVersion {
  return {
    apiVersion,
    kind: 'ClusterServiceVersion',
    metadata: { name, namespace, uid: `uid-${name}`, annotations },
    spec: { displayName: name, version: name.replace(/^.*\.v/, ''), install: { strategy: 'deployment' }, ...spec },
    status: { phase },
  } as ClusterServiceVersion;
}

export function planOf(
  name: string,
  {
    csvs = [],
    generation = 1,
    phase,
    owners = [],
  }: {
    readonly csvs?: readonly string[];
    readonly generation?: number;
    readonly phase?: string;
    readonly owners?: readonly string[];
  } = {},
): InstallPlan {
  const ownerReferences = owners.map((owner) => ({
    apiVersion,
    kind: 'Subscription',
    name: owner,
    uid: `uid-${owner}`,
  }));
  return {
    apiVersion,
    kind: 'InstallPlan',
    metadata: { name, namespace, uid: `uid-${name}`, resourceVersion: '1', ownerReferences },
    spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: csvs, generation },
    ...(phase === undefined ? {} : { status: { phase, catalogSources: ['shop'] } }),
  };
}

export function groupOf(spec: OperatorGroup['spec'] = {}): OperatorGroup {
  const metadata = { name: 'group', namespace };
  return { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata, spec };
}

export function sourceOf(name: string, of: string = namespace): CatalogSource {
  const metadata = { name, namespace: of, uid: `uid-${name}`, resourceVersion: '1' };
  return { apiVersion, kind: 'CatalogSource', metadata, spec: { sourceType: 'grpc' } };
}
