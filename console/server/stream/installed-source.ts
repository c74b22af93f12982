import {
  bundleDeploymentResource,
  bundleResource,
  type CatalogSource,
  type ClusterServiceVersion,
  catalogSourceResource,
  clusterServiceVersionResource,
  type InstallPlan,
  installPlanResource,
  platformOperatorResource,
  type Subscription,
  subscriptionResource,
} from '../../../src/api/index.ts';
import type { Installation } from '../../../src/installations/contract/index.ts';
import {
  type InstalledOperator,
  installationOfDeployment,
  installationOfExtension,
  installationOfOperator,
  installationOfPlatformOperator,
  type UnpackingBundle,
  unpackingOf,
} from '../../../src/installations/index.ts';
import type { KubeObject, ListTarget } from '../../../src/kube/index.ts';
import { KindRows, type WatchDeps } from './kind-rows.ts';
import { Listeners, type Source, type SourceState } from './source.ts';

function target({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ListTarget {
  return { apiVersion, kind };
}

interface Row {
  readonly key: string;
  readonly json: string;
}

const extensionResource = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension' };
/** Kinds whose objects are installations by themselves. */
const wholeKinds: readonly {
  readonly target: { readonly apiVersion: string; readonly kind: string };
  readonly read: (object: KubeObject) => Installation;
}[] = [
  { target: platformOperatorResource, read: installationOfPlatformOperator },
  { target: extensionResource, read: installationOfExtension },
];

function rowOf(installation: Installation): Row {
  const { kind, namespace, name } = installation;
  return { key: `${kind}/${namespace}/${name}`, json: JSON.stringify(installation) };
}

/** An object that another program wrote may lack what its schema requires. */
function readSafely(object: KubeObject, read: (object: KubeObject) => Installation): Row | undefined {
  try {
    return rowOf(read(object));
  } catch {
    return undefined;
  }
}

type Objects = KindRows<KubeObject>;

/** A deployment, with its row as it is without its Bundle. */
interface Deployment {
  readonly object: KubeObject;
  readonly row: Row | undefined;
  readonly isUnpacking: boolean;
}

interface UnpackingOwned extends UnpackingBundle {
  /** Uid of the deployment. */
  readonly owner: string;
}

function deploymentOf(object: KubeObject): Deployment {
  const row = readSafely(object, (one) => installationOfDeployment(one));
  return { object, row, isUnpacking: row?.json.includes('"UnpackPending"') === true };
}

function ownedBundle(object: KubeObject): UnpackingOwned {
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? '';
  return { owner, ...unpackingOf(object) };
}

/** Everything that is installed, whatever installs it. */
export class InstalledSource implements Source {
  readonly #listeners = new Listeners();
  readonly #whole: readonly KindRows<Row | undefined>[];
  readonly #deployments: KindRows<Deployment>;
  readonly #bundles: KindRows<UnpackingOwned>;
  readonly #subscriptions: Objects;
  readonly #plans: Objects;
  readonly #csvs: Objects;
  readonly #catalogs: Objects;

  constructor(deps: WatchDeps) {
    const onChange = (): void => this.#listeners.call();
    this.#whole = wholeKinds.map(({ target: { apiVersion, kind }, read }) => {
      return new KindRows(deps, { apiVersion, kind }, { project: (object) => readSafely(object, read), onChange });
    });
    this.#deployments = new KindRows(deps, target(bundleDeploymentResource), { project: deploymentOf, onChange });
    this.#bundles = new KindRows(deps, target(bundleResource), { project: ownedBundle, onChange });
    const objects = ({ apiVersion, kind }: { apiVersion: string; kind: string }): Objects =>
      new KindRows(deps, { apiVersion, kind }, { project: (object) => object, onChange });
    this.#subscriptions = objects(subscriptionResource);
    this.#plans = objects(installPlanResource);
    this.#csvs = objects(clusterServiceVersionResource);
    this.#catalogs = objects(catalogSourceResource);
  }

  /** Forbidden where none of the kinds may be listed. */
  state(): SourceState {
    const states = [this.#deployments, ...this.#whole, this.#subscriptions].map((rows) => rows.state());
    const live = states.find(({ state }) => state === 'live');
    const forbidden = states.find(({ state }) => state === 'forbidden');
    if (live !== undefined) return forbidden === undefined ? live : { ...live, message: forbidden.message };
    return (
      states.find(({ state }) => state === 'loading') ?? forbidden ?? states[0] ?? { state: 'loading', message: '' }
    );
  }

  rows(): ReadonlyMap<string, string> {
    const whole = this.#whole.flatMap((rows) => rows.values()).filter((row) => row !== undefined);
    const operators = this.#subscriptions.values().flatMap((object) => this.#operatorRow(object) ?? []);
    return new Map([...this.#deploymentRows(), ...whole, ...operators].map(({ key, json }) => [key, json]));
  }

  #deploymentRows(): readonly Row[] {
    const deployments = this.#deployments.values();
    const isUnpacking = deployments.some((one) => one.isUnpacking);
    const bundles = isUnpacking ? this.#bundles.values().filter(({ phase }) => phase !== 'Unpacked') : [];
    const byOwner = new Map(bundles.map((bundle) => [bundle.owner, bundle]));
    return deployments.flatMap(({ object, row, isUnpacking: isOpen }) => {
      const bundle = isOpen ? byOwner.get(object.metadata.uid ?? '') : undefined;
      return (bundle === undefined ? row : readSafely(object, (one) => installationOfDeployment(one, bundle))) ?? [];
    });
  }

  #operatorRow(object: KubeObject): Row | undefined {
    return readSafely(object, () => installationOfOperator(this.#operatorOf(object)));
  }

  #operatorOf(object: KubeObject): InstalledOperator {
    const subscription = object as unknown as Subscription;
    const { namespace = '' } = object.metadata;
    const { spec, status } = subscription;
    const csvOf = (name: string | undefined): KubeObject | undefined => this.#csvs.get(name ?? '', namespace);
    const csv = csvOf(status?.currentCSV) ?? csvOf(status?.installedCSV);
    return {
      subscription,
      plan: this.#plans.get(status?.installPlanRef?.name ?? '', namespace) as unknown as InstallPlan | undefined,
      csv: csv as unknown as ClusterServiceVersion | undefined,
      catalog: this.#catalogOf(spec),
    };
  }

  /** Undefined where it is not known whether it exists. */
  #catalogOf({ source, sourceNamespace }: Subscription['spec']): InstalledOperator['catalog'] {
    const found = this.#catalogs.get(source, sourceNamespace) as unknown as CatalogSource | undefined;
    const isKnown = this.#catalogs.state().state === 'live';
    return found ?? (isKnown ? 'missing' : undefined);
  }

  subscribe(listener: () => void): Disposable {
    return this.#listeners.add(listener);
  }

  [Symbol.dispose](): void {
    for (const rows of [
      this.#deployments,
      this.#bundles,
      ...this.#whole,
      this.#subscriptions,
      this.#plans,
      this.#csvs,
      this.#catalogs,
    ]) {
      rows[Symbol.dispose]();
    }
  }
}
