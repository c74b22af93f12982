import {
  catalogNameLabel,
  clusterCatalogResource,
  parseClusterCatalog,
  parseImageReference,
} from '../../../src/api/index.ts';
import { type ContentLimits, defaultContentLimits, errorMessage, TerminalError } from '../../../src/base/index.ts';
import { configsLabel, PackageBuilder, readStagedCatalog } from '../../../src/catalog/index.ts';
import { conditionsOf, type KubeClient, type KubeObject } from '../../../src/kube/index.ts';
import { type CatalogPackage, type CatalogView, resolveV1 } from '../../../src/resolver/index.ts';
import { openStaging, type WorkFolder } from '../../input/index.ts';
import { digestOf, pullInto, type Transfer } from '../../oci/index.ts';

/** What is installed, and is to be continued from the catalogs of the cluster. */
export interface ContinuedBundle {
  readonly packageName: string;
  readonly version: string;
  /** References of its image; none where it is not known. */
  readonly images: readonly string[];
  /** Name of the only ClusterCatalog to follow; undefined: all. */
  readonly catalog: string | undefined;
}

const gibibyte = 1024 ** 3;

/** Catalogs are larger than bundles; what they take is space on disk. */
const catalogLimits: ContentLimits = {
  ...defaultContentLimits,
  compressedLayerBytes: 2 * gibibyte,
  unpackedBytes: 4 * gibibyte,
};

/** How images are read. */
export type Reading = Transfer & { readonly work: WorkFolder };

function refuse({ packageName }: ContinuedBundle, why: string): never {
  const text = `package "${packageName}" cannot be continued by a ClusterExtension: ${why}; nothing was changed`;
  throw new TerminalError('NotProvided', text);
}

function isServing(object: KubeObject): boolean {
  return conditionsOf(object).some(({ type, status }) => type === 'Serving' && status === 'True');
}

function isUsed(object: KubeObject): boolean {
  const isRemoved = object.metadata.deletionTimestamp !== undefined;
  return !isRemoved && parseClusterCatalog(object).spec.availabilityMode !== 'Unavailable';
}

/** The package as the image of a catalog has it; undefined where it has none of that name. */
async function packageIn(ref: string, packageName: string, reading: Reading): Promise<CatalogPackage | undefined> {
  await using staging = await openStaging(reading.work, 'catalog', catalogLimits);
  await pullInto(staging, ref, { ...reading, directoryLabel: configsLabel });
  const builder = new PackageBuilder();
  for await (const meta of readStagedCatalog(staging, { signal: reading.signal })) {
    if (meta.package === packageName || (meta.schema === 'olm.package' && meta.name === packageName)) builder.add(meta);
  }
  return builder.build().get(packageName);
}

async function viewOf(object: KubeObject, bundle: ContinuedBundle, reading: Reading): Promise<CatalogView> {
  const { spec, status, metadata } = parseClusterCatalog(object);
  const { name } = metadata;
  const ref = status?.resolvedSource?.image?.ref;
  if (ref === undefined || !isServing(object)) {
    return refuse(bundle, `ClusterCatalog "${name}" is not served: see its conditions, or name another with --catalog`);
  }
  try {
    const found = await packageIn(ref, bundle.packageName, reading);
    return {
      name,
      priority: spec.priority ?? 0,
      labels: { ...metadata.labels, [catalogNameLabel]: name },
      packageNames: () => (found === undefined ? [] : [found.name]),
      package: (requested) => (requested === found?.name ? found : undefined),
      packagesProviding: () => [],
    };
  } catch (thrown) {
    return refuse(
      bundle,
      `ClusterCatalog "${name}" could not be read from here: ${errorMessage(thrown)} (--auth-file and --registry-ca give access to its image)`,
    );
  }
}

/** Digests distinguish content, whatever registry it is in. */
export async function isSameImage(chosen: string, images: readonly string[], reading: Reading): Promise<boolean> {
  if (images.includes(chosen)) return true;
  const digest = async (ref: string): Promise<string> =>
    parseImageReference(ref).digest ?? (await digestOf(ref, undefined, reading));
  const expected = await digest(chosen);
  for (const image of images) if ((await digest(image)) === expected) return true;
  return false;
}

const withoutImage = (name: string, catalog: string): string =>
  `bundle "${name}" of ClusterCatalog "${catalog}" has no image: the catalog contains its manifests, as that of longshore operator run does, and a ClusterExtension installs images. Push the bundle (longshore bundle push DIR REF), render a catalog of that image (longshore catalog render REF), and create a ClusterCatalog of it`;

/** What the controller of ClusterExtensions would choose has to be what is installed: otherwise it would wait, or change installed objects. Without
 *  any catalog, it retains what is installed. Returns the image that it would choose; undefined without any catalog.
 *  @throws TerminalError NotProvided */
export async function assertProvided(
  kube: KubeClient,
  bundle: ContinuedBundle,
  reading: Reading,
): Promise<string | undefined> {
  const { packageName, version, images, catalog } = bundle;
  const all = (await kube.list(clusterCatalogResource)).items.filter(isUsed);
  const used = catalog === undefined ? all : all.filter(({ metadata }) => metadata.name === catalog);
  if (catalog !== undefined && used.length === 0) refuse(bundle, `there is no ClusterCatalog "${catalog}"`);
  if (used.length === 0) return undefined;
  const views: CatalogView[] = [];
  for (const object of used) views.push(await viewOf(object, bundle, reading));
  const chosen = choose(views, bundle);
  const from = `ClusterCatalog "${chosen.catalog.name}"`;
  const { image } = chosen.bundle;
  if (image === undefined) return refuse(bundle, withoutImage(chosen.bundle.name, chosen.catalog.name));
  if (images.length === 0 || (await isSameImage(image, images, reading))) return image;
  const why = `${from} has version ${version} of package "${packageName}" as image ${image}, and ${images[0]} is installed: install that image first, or name a catalog of the installed one with --catalog`;
  return refuse(bundle, why);
}

function choose(views: readonly CatalogView[], bundle: ContinuedBundle) {
  const { packageName, version } = bundle;
  try {
    return resolveV1(views, { packageName, version, mayDepend: true });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return refuse(bundle, `${thrown.message}; name a catalog that has it with --catalog`);
  }
}
