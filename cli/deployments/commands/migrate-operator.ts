import { installOptionsOf, placeOf } from '../../../provisioners/index.ts';
import { adoptAnnotation, apiVersion, type ClusterServiceVersion } from '../../../src/api/index.ts';
import { type Preview, previewInstall } from '../../../src/apply/index.ts';
import { TerminalError } from '../../../src/base/index.ts';
import { findObject, type KubeClient, type KubeObject } from '../../../src/kube/index.ts';
import { openChartRenderer } from '../../bundle-files/index.ts';
import { createContentClient, openKube } from '../../client/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { confirm, createProgress } from '../../output/index.ts';
import { findDesired } from '../diff/desired.ts';
import { assertAdopted } from '../migrate/adopted.ts';
import { extensionLine, leavesExtension, toExtension } from '../migrate/by-extension.ts';
import { type Context, print, type Values } from '../migrate/context.ts';
import { continuing } from '../migrate/continuing.ts';
import { deploymentWith } from '../migrate/extension.ts';
import { completePlatform, type PlatformTarget, platformTarget } from '../migrate/platform.ts';
import { assertProvided } from '../migrate/provided.ts';
import { reached } from '../migrate/reached.ts';
import { isMigrationOf, type Migration, migrationOf } from '../migrate/record.ts';
import { type Release, releaseFromOlm } from '../migrate/release.ts';
import { showPreview } from '../migrate/shown-preview.ts';
import { bundleImage, plannedImage, readSubscribed, type Subscribed } from '../migrate/subscribed.ts';
import { toSubscription } from '../migrate/to-subscription.ts';
import { whenInstalled } from '../run/wait.ts';

const kind = 'BundleDeployment';
const deadlineMs = 15 * 60_000;
/** Stands for that of a BundleDeployment that does not exist yet. */
const unknownUid = '00000000-0000-4000-8000-000000000000';

async function findDeployment(kube: KubeClient, name: string): Promise<KubeObject | undefined> {
  return await findObject(kube, { apiVersion, kind, name });
}

async function previewOf(deployment: KubeObject, image: string, { values, progress }: Context): Promise<Preview> {
  await using stack = new AsyncDisposableStack();
  const client = stack.use(await createContentClient(values));
  const work = stack.use(await openWorkFolder());
  const signal = AbortSignal.timeout(deadlineMs);
  const systemNamespace = values['system-namespace'];
  // The bundle of an operator is no chart.
  const charts = openChartRenderer({ helm: 'helm' }, work);
  const finding = { client, work, deployment, systemNamespace, charts };
  const desired = await findDesired({ ...finding, requested: { image }, values, progress, signal });
  const { name = '', annotations } = deployment.metadata;
  return await previewInstall({
    kube: client.kube,
    owner: { name, uid: unknownUid },
    objects: desired.objects,
    ...installOptionsOf(deployment),
    ...placeOf(desired),
    systemNamespace,
    isUpgrade: false,
    crdSafety: { annotations, isRestored: false },
    signal,
    onLooked: (done, total) => progress.show('asking the server', { done, total, unit: 'objects' }),
  });
}

async function requestedPlatform(
  { kube, values }: Context,
  subscribed: Subscribed,
  name: string,
): Promise<PlatformTarget | undefined> {
  if (values.to === 'PlatformOperator' && subscribed.account !== '') {
    const text = `the OperatorGroup of namespace "${values.namespace}" has operators installed with the permissions of ServiceAccount "${subscribed.account}", and a PlatformOperator would have those of the controllers: leave out --to; nothing was changed`;
    throw new TerminalError('AccountBound', text);
  }
  if (values.to === 'PlatformOperator')
    return await platformTarget(kube, subscribed, { name, catalog: values.catalog });
  if (values.catalog === undefined || values.to === 'ClusterExtension') return undefined;
  throw new TerminalError(
    'InvalidOption',
    '--catalog: only a PlatformOperator or ClusterExtension follows a catalog; add --to PlatformOperator',
  );
}

interface Planned {
  readonly migration: Migration;
  readonly to: Values['to'];
  readonly csv: ClusterServiceVersion;
}

/** What an operator with webhooks or API servers cannot do while its certificate is replaced. */
function servingNote({ spec }: ClusterServiceVersion): string {
  const isServing = (spec.webhookdefinitions ?? []).length > 0 || (spec.apiservicedefinitions?.owned ?? []).length > 0;
  return isServing
    ? ' Its certificate is replaced: until its Pods have restarted, the API server may refuse requests that its webhooks review or that its APIs serve.'
    : '';
}

function consequences(image: string, deployment: KubeObject, { migration, to, csv }: Planned): string {
  const { namespace, clusterServiceVersion, platformOperator: goal } = migration;
  const adopts = `BundleDeployment ${deployment.metadata.name} of ${image} adopts these objects.`;
  const goes = `Then Subscription and ClusterServiceVersion ${namespace}/${clusterServiceVersion} are deleted; custom resources stay.${servingNote(csv)}`;
  if (goal !== undefined) return `${adopts} ${goes} ${platformLine(goal, migration)}`;
  if (to !== 'ClusterExtension') return `${adopts} ${goes}`;
  return `${adopts} ${goes} ${extensionLine(deployment.metadata.name ?? '')}`;
}

function platformLine(
  { name, upgradePolicy }: NonNullable<Migration['platformOperator']>,
  migration: Migration,
): string {
  return `PlatformOperator ${name} keeps package ${migration.package} installed from then on (upgradePolicy ${upgradePolicy}).`;
}

/** Shows what would change, asks, and creates the BundleDeployment; undefined in a dry run.
 *  @throws TerminalError NameTaken, InvalidOption, and what the steps throw */
async function begin(context: Context, requested: string): Promise<KubeObject | undefined> {
  const { kube, values, progress } = context;
  const subscribed = await readSubscribed(kube, values.namespace, requested);
  const name = values.name ?? subscribed.subscription.spec.name;
  const image = values.image ?? bundleImage(subscribed);
  if ((await findDeployment(kube, name)) !== undefined) {
    const text = `BundleDeployment "${name}" exists, and is not of this operator: choose another name with --name; nothing was changed`;
    throw new TerminalError('NameTaken', text);
  }
  const platform = await requestedPlatform(context, subscribed, name);
  const deployment = continuing(subscribed, { name, image, platform });
  const migration = migrationOf(deployment);
  if (migration === undefined) return undefined;
  const preview = await previewOf(deployment, image, context);
  progress.clear();
  showPreview(preview);
  const about = consequences(image, deployment, { migration, to: values.to, csv: subscribed.csv });
  if (values['dry-run']) {
    print(about);
    return undefined;
  }
  if (!values.yes) {
    const csv = `${values.namespace}/${subscribed.csv.metadata.name}`;
    await confirm({
      about: `${about}\n`,
      text: 'Migrate the operator?',
      unasked: `migrate would replace ClusterServiceVersion ${csv}, and there is no terminal to ask on: confirm with --yes. Nothing was changed`,
    });
  }
  return await kube.create(deployment, { fieldManager: 'rukpakctl' });
}

/** The BundleDeployment of a migration that was begun. */
async function existingFor(kube: KubeClient, { namespace }: Values, name: string): Promise<KubeObject | undefined> {
  const all = (await kube.list({ apiVersion, kind })).items;
  return all.find((object) => {
    const migration = migrationOf(object);
    return migration !== undefined && isMigrationOf(migration, namespace, name);
  });
}

/** A migration ends as it was begun.
 *  @throws TerminalError MigrationBegun */
function assertSameGoal(existing: KubeObject, { platformOperator }: Migration, values: Values): void {
  const { name: deployment = '' } = existing.metadata;
  const found = platformOperator === undefined ? 'BundleDeployment' : 'PlatformOperator';
  const goal = values.to === 'ClusterExtension' ? 'BundleDeployment' : values.to;
  const isSame = (goal ?? found) === found && (values.name ?? deployment) === deployment;
  if (isSame) return;
  const text = `the operator was migrated to ${found} "${deployment}" before, perhaps not completely: repeat the command without --to and --name; nothing was changed`;
  throw new TerminalError('MigrationBegun', text);
}

/** It has all objects of the operator: later versions take over nothing that others have made meanwhile. */
async function endAdoption(kube: KubeClient, deployment: KubeObject): Promise<void> {
  const { name = '', uid = '', annotations = {} } = deployment.metadata;
  if (annotations[adoptAnnotation] === undefined) return;
  const metadata = { uid, annotations: { [adoptAnnotation]: null } };
  await kube.patch({ apiVersion, kind, name }, { metadata }, { fieldManager: 'rukpakctl' });
}

/** What follows once the BundleDeployment exists; each step is repeated without harm.
 *  @throws TerminalError NotInstalled, NotAdopted, StillThere, NameTaken */
async function complete(context: Context, deployment: KubeObject, migration: Migration): Promise<void> {
  const { kube, values, progress } = context;
  const { clusterServiceVersion: csvName, platformOperator: goal, namespace } = migration;
  const { name = '' } = deployment.metadata;
  const waiting = { kube, timeoutMs: values.timeout, progress };
  await whenInstalled(waiting, deployment);
  progress.clear();
  await assertAdopted(kube, deployment, migration);
  const release: Release = { kube, namespace, csvName, timeoutMs: values.timeout, print };
  await releaseFromOlm(release);
  await endAdoption(kube, deployment);
  if (goal === undefined) {
    print(`${csvName} is BundleDeployment ${name} from now on`);
    return;
  }
  // Not before: it may begin with an upgrade, which the ClusterServiceVersion would work against.
  await completePlatform(waiting, { ...migration, platformOperator: goal }, name);
  progress.clear();
  print(`${csvName} is PlatformOperator ${goal.name} from now on, with BundleDeployment ${name}`);
}

async function fromSubscription(context: Context, name: string): Promise<number> {
  const { kube, values } = context;
  const existing = await existingFor(kube, values, name);
  const begun = existing && migrationOf(existing);
  if (existing !== undefined && begun !== undefined) assertSameGoal(existing, begun, values);
  if (existing !== undefined && values['dry-run']) {
    print(`BundleDeployment ${existing.metadata.name} exists: the migration would go on`);
    return 0;
  }
  const deployment = existing ?? (await begin(context, name));
  const migration = deployment && migrationOf(deployment);
  if (deployment === undefined || migration === undefined) return 0;
  await complete(context, deployment, migration);
  return 0;
}

/** Nothing is begun that a ClusterExtension could not end. Returns the image of the bundle, which the catalog names where the InstallPlan does not.
 *  @throws TerminalError NotProvided, NoBundleImage */
async function continuedImage({ kube, values, progress }: Context, requested: string): Promise<string> {
  const subscribed = await readSubscribed(kube, values.namespace, requested);
  const { spec } = subscribed.subscription;
  const known = values.image ?? plannedImage(subscribed);
  const images = known === undefined ? [] : [known];
  const { version = '' } = subscribed.csv.spec;
  const bundle = { packageName: spec.name, version, images, catalog: values.catalog };
  await using work = await openWorkFolder();
  const reading = { values, work, progress, signal: AbortSignal.timeout(deadlineMs) };
  const image = await assertProvided(kube, bundle, reading);
  progress.clear();
  return known ?? image ?? bundleImage(subscribed);
}

/** A Subscription becomes a BundleDeployment first, and that a ClusterExtension. */
async function toClusterExtension(context: Context, name: string): Promise<number> {
  const { kube, values } = context;
  const standing = await deploymentWith(kube, name);
  const begun = standing && migrationOf(standing);
  if (standing !== undefined && begun === undefined) return await toExtension(context, name);
  if (standing !== undefined && begun !== undefined) {
    // Perhaps it was interrupted.
    if (!values['dry-run']) await complete(context, standing, begun);
    return await toExtension(context, name);
  }
  const image = await continuedImage(context, name);
  const status = await fromSubscription({ ...context, values: { ...values, image } }, name);
  if (status !== 0 || values['dry-run']) return status;
  // It was asked for before.
  return await toExtension({ ...context, values: { ...values, yes: true } }, name);
}

/** `longshore operator migrate`: 0 when the operator is what it was to become. Interrupted, it goes on where it was when it is repeated. */
export async function migrateOperator(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  using progress = createProgress(process.stderr, { isQuiet: !process.stderr.isTTY });
  const context = { kube, values, progress };
  if (values.to === 'ClusterExtension') return await toClusterExtension(context, name);
  if (values.to === 'Subscription') return await toSubscription(context, name);
  const left = (await leavesExtension(context, name)) ?? (await reached(context, name));
  return left ?? (await fromSubscription(context, name));
}
