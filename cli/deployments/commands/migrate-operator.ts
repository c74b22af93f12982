import { installOptionsOf, placeOf } from '../../../provisioners/index.ts';
import { apiVersion } from '../../../src/api/index.ts';
import { type ObjectChange, type Preview, previewInstall } from '../../../src/apply/index.ts';
import { TerminalError } from '../../../src/base/index.ts';
import { isNotFound, type KubeClient, type KubeObject } from '../../../src/kube/index.ts';
import { openChartRenderer } from '../../bundle-files/index.ts';
import { createContentClient, openKube } from '../../client/index.ts';
import type { clusterOptions, OptionValues, registryOptions } from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { colouredDiff, confirm, createProgress, type Progress } from '../../output/index.ts';
import { findDesired } from '../diff/desired.ts';
import { shownChange, titleOf } from '../diff/text.ts';
import { hasSamePods, type Release, releaseFromOlm } from '../migrate/release.ts';
import { bundleImage, continuing, migratedAnnotation, readSubscribed } from '../migrate/subscribed.ts';
import type { migrateOptions, timeoutOption } from '../options.ts';
import { whenInstalled } from '../run/wait.ts';

type Values = OptionValues<
  typeof clusterOptions & typeof migrateOptions & typeof timeoutOption & typeof registryOptions
>;

const kind = 'BundleDeployment';
const deadlineMs = 15 * 60_000;
/** Stands for that of a BundleDeployment that does not exist yet. */
const unknownUid = '00000000-0000-4000-8000-000000000000';

interface Context {
  readonly kube: KubeClient;
  readonly values: Values;
  readonly progress: Progress;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function findDeployment(kube: KubeClient, name: string): Promise<KubeObject | undefined> {
  try {
    return await kube.get({ apiVersion, kind, name });
  } catch (thrown) {
    if (isNotFound(thrown)) return undefined;
    throw thrown;
  }
}

function podsLine({ ref, before, after }: ObjectChange): string | undefined {
  if (ref.kind !== 'Deployment' || before === undefined || after === undefined) return undefined;
  const what = hasSamePods(before, after) ? 'the Pods stay' : 'THE PODS RESTART: their template changes';
  return `${titleOf(ref)}: ${what}`;
}

function show({ changes, blockers }: Preview): void {
  for (const change of changes) {
    const found = shownChange(change);
    if (found !== undefined) process.stdout.write(colouredDiff(found.diff, process.stdout));
  }
  for (const line of changes.map(podsLine)) if (line !== undefined) print(line);
  if (blockers.length === 0) return;
  throw new TerminalError(
    'Blocked',
    `the operator cannot be migrated, and nothing was changed: ${blockers.join('; ')}`,
  );
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

/** Shows what would change, asks, and creates the BundleDeployment; undefined in a dry run. */
async function begin(context: Context, name: string): Promise<KubeObject | undefined> {
  const { kube, values, progress } = context;
  const subscribed = await readSubscribed(kube, values.namespace, name);
  const image = values.image ?? bundleImage(subscribed);
  const deployment = continuing(subscribed, subscribed.subscription.spec.name, image);
  const preview = await previewOf(deployment, image, context);
  progress.clear();
  show(preview);
  if (values['dry-run']) return undefined;
  if (!values.yes) {
    const csv = `${values.namespace}/${subscribed.csv.metadata.name}`;
    await confirm({
      about: `BundleDeployment ${deployment.metadata.name} of ${image} adopts these objects. Then Subscription and ClusterServiceVersion ${csv} are deleted; custom resources stay.\n`,
      text: 'Migrate the operator?',
      unasked: `migrate would replace ClusterServiceVersion ${csv}, and there is no terminal to ask on: confirm with --yes. Nothing was changed`,
    });
  }
  return await kube.create(deployment, { fieldManager: 'rukpakctl' });
}

/** @throws TerminalError NameTaken */
function sourceOf(deployment: KubeObject, namespace: string): string {
  const [place, csvName] = (deployment.metadata.annotations?.[migratedAnnotation] ?? '').split('/');
  if (place === namespace && csvName !== undefined && csvName !== '') return csvName;
  const text = `BundleDeployment "${deployment.metadata.name}" exists, and is not of this operator: rename or remove it first; nothing was changed`;
  throw new TerminalError('NameTaken', text);
}

async function existingFor(kube: KubeClient, values: Values, name: string): Promise<KubeObject | undefined> {
  const own = await findDeployment(kube, name);
  if (own !== undefined) return own;
  // The argument may be the name of the Subscription.
  const all = (await kube.list({ apiVersion, kind })).items;
  return all.find(({ metadata }) => metadata.annotations?.[migratedAnnotation] === `${values.namespace}/${name}`);
}

/** `longshore operator migrate`: 0 when the operator is a BundleDeployment. Interrupted, it goes on where it was when it is repeated. */
export async function migrateOperator(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  using progress = createProgress(process.stderr, { isQuiet: !process.stderr.isTTY });
  const existing = await existingFor(kube, values, name);
  if (existing !== undefined && values['dry-run']) {
    print(`BundleDeployment ${existing.metadata.name} exists: the migration would go on`);
    return 0;
  }
  const deployment = existing ?? (await begin({ kube, values, progress }, name));
  if (deployment === undefined) return 0;
  const csvName = sourceOf(deployment, values.namespace);
  await whenInstalled({ kube, timeoutMs: values.timeout, progress }, deployment);
  progress.clear();
  const release: Release = { kube, namespace: values.namespace, csvName, timeoutMs: values.timeout, print };
  await releaseFromOlm(release);
  print(`${csvName} is BundleDeployment ${deployment.metadata.name} from now on`);
  return 0;
}
