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
import { jsonBytes, KindRows, textBytes, type WatchDeps } from './kind-rows.ts';
import { deploymentPart, operatorPart } from './object-parts.ts';
import { Listeners, type Row, rowOf, type Source, type SourceState } from './source.ts';

function target({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ListTarget {
  return { apiVersion, kind };
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

function installationRow(installation: Installation): Row {
  const { kind, namespace, name } = installation;
  return rowOf(`${kind}/${namespace}/${name}`, installation);
}

/** An object that another program wrote may lack what its schema requires. */
function readSafely(object: KubeObject, read: (object: KubeObject) => Installation): Row | undefined {
  try {
    return installationRow(read(object));
  } catch {
    return undefined;
  }
}

/** Rows of objects, made again when one of the objects is another one: streams ask for all rows after each change of any. */
class KnownRows {
  readonly #known = new WeakMap<object, { readonly parts: readonly unknown[]; readonly row: Row | undefined }>();

  /** @param parts the object, and what else its row is made of */
  of(parts: readonly [object, ...unknown[]], make: () => Row | undefined): Row | undefined {
    const [object] = parts;
    const known = this.#known.get(object);
    if (known?.parts.every((part, index) => part === parts[index]) === true) return known.row;
    const row = make();
    this.#known.set(object, { parts, row });
    return row;
  }
}

type Objects = KindRows<KubeObject>;

/** A deployment, with its row as it is without its Bundle. */
interface Deployment {
  readonly row: Row | undefined;
  /** What is read of it with its Bundle, while that is unpacked. */
  readonly unpacking: KubeObject | undefined;
}

interface UnpackingOwned extends UnpackingBundle {
  /** Uid of the deployment. */
  readonly owner: string;
}

function deploymentOf(object: KubeObject): Deployment {
  const row = readSafely(object, (one) => installationOfDeployment(one));
  const isUnpacking = row?.json.includes('"UnpackPending"') === true;
  return { row, unpacking: isUnpacking ? deploymentPart(object) : undefined };
}

function rowBytes(row: Row | undefined): number {
  return row === undefined ? 0 : textBytes(row.json);
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
  readonly #known = new KnownRows();

  constructor(deps: WatchDeps) {
    const onChange = (): void => this.#listeners.call();
    this.#whole = wholeKinds.map(({ target: { apiVersion, kind }, read }) => {
      const project = (object: KubeObject): Row | undefined => readSafely(object, read);
      return new KindRows(deps, { apiVersion, kind }, { project, sizeOf: rowBytes, onChange });
    });
    this.#deployments = new KindRows(deps, target(bundleDeploymentResource), {
      project: deploymentOf,
      sizeOf: ({ row, unpacking }) => rowBytes(row) + (unpacking === undefined ? 0 : jsonBytes(unpacking)),
      onChange,
    });
    const bundles = { project: ownedBundle, sizeOf: jsonBytes, onChange };
    this.#bundles = new KindRows(deps, target(bundleResource), bundles);
    const parts = ({ apiVersion, kind }: { apiVersion: string; kind: string }, sizeOf = jsonBytes): Objects =>
      new KindRows(deps, { apiVersion, kind }, { project: operatorPart, sizeOf, onChange });
    // With its row.
    this.#subscriptions = parts(subscriptionResource, (object) => 2 * jsonBytes(object));
    this.#plans = parts(installPlanResource);
    this.#csvs = parts(clusterServiceVersionResource);
    this.#catalogs = parts(catalogSourceResource);
  }

  /** Forbidden where none of the kinds may be listed. */
  state(): SourceState {
    const states = [this.#deployments, ...this.#whole, this.#subscriptions].map((rows) => rows.state());
    const live = states.find(({ state }) => state === 'live');
    const missing = states.find(({ state }) => state === 'forbidden') ?? states.find(({ state }) => state === 'failed');
    if (live !== undefined) return missing === undefined ? live : { ...live, message: missing.message };
    return states.find(({ state }) => state === 'loading') ?? missing ?? states[0] ?? { state: 'loading', message: '' };
  }

  rows(): readonly Row[] {
    const whole = this.#whole.flatMap((rows) => rows.values()).filter((row) => row !== undefined);
    const operators = this.#subscriptions.values().flatMap((object) => this.#operatorRow(object) ?? []);
    return [...this.#deploymentRows(), ...whole, ...operators];
  }

  #deploymentRows(): readonly Row[] {
    const deployments = this.#deployments.values();
    const isUnpacking = deployments.some(({ unpacking }) => unpacking !== undefined);
    const bundles = isUnpacking ? this.#bundles.values().filter(({ phase }) => phase !== 'Unpacked') : [];
    const byOwner = new Map(bundles.map((bundle) => [bundle.owner, bundle]));
    return deployments.flatMap(({ row, unpacking }) => {
      const bundle = byOwner.get(unpacking?.metadata.uid ?? '');
      if (unpacking === undefined || bundle === undefined) return row ?? [];
      const make = (): Row | undefined => readSafely(unpacking, (one) => installationOfDeployment(one, bundle));
      return this.#known.of([unpacking, bundle], make) ?? [];
    });
  }

  #operatorRow(object: KubeObject): Row | undefined {
    const operator = this.#operatorOf(object);
    const { plan, csv, catalog } = operator;
    return this.#known.of([object, plan, csv, catalog], () =>
      readSafely(object, () => installationOfOperator(operator)),
    );
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
