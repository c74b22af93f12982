import { type JsonObject, printable, TerminalError } from '../../../src/base/index.ts';
import { isKubeError, type KubeClient } from '../../../src/kube/index.ts';
import { openKube } from '../../client/index.ts';
import {
  type documentOption,
  type kubeconfigOption,
  type OptionValues,
  printDocument,
  type registryOptions,
} from '../../command/index.ts';
import { type ClusterVersionView, patchClusterVersion, readClusterVersion } from '../cluster-version.ts';
import { printChanges, releasePlaces } from '../difference.ts';
import { documentOf } from '../document.ts';
import type { upgradeOptions } from '../options.ts';
import { overviewOf } from '../overview.ts';
import { checkTarget, chooseTarget, guardsOf, type RequestedUpdate, type TargetOptions } from '../target.ts';
import { whenCompleted } from '../wait.ts';

type Values = OptionValues<
  typeof kubeconfigOption & typeof upgradeOptions & typeof registryOptions & typeof documentOption
>;

/** A request of this command. */
interface Requesting {
  readonly kube: KubeClient;
  readonly values: Values;
  readonly view: ClusterVersionView;
}

const forceWarning =
  '--force overrides cluster verification of your supplied release image and waives any update precondition failures. Only use this if you are testing unsigned release images or you are working around a known bug in the cluster-version operator and you have verified the authenticity of the provided image yourself.';

function warn(text: string): void {
  process.stderr.write(printable(`warning: ${text}\n`));
}

function targetOptions(values: Values): TargetOptions {
  return {
    to: values.to,
    toImage: values['to-image'],
    isLatest: values['to-latest'],
    isMultiArch: values['to-multi-arch'],
    isForced: values.force,
    allowsNotRecommended: values['allow-not-recommended'],
    allowsExplicit: values['allow-explicit-upgrade'],
  };
}

function hasTarget({ to, toImage, isLatest, isMultiArch }: TargetOptions): boolean {
  return to !== undefined || toImage !== undefined || isLatest || isMultiArch;
}

/** @throws TerminalError InvalidOption */
function checkUsage(values: Values): void {
  const target = hasTarget(targetOptions(values));
  if (values.clear && target)
    throw new TerminalError('InvalidOption', '--clear may not be specified with any other flags');
  const alone = (['wait', 'dry-run', 'force'] as const).find(
    (name) => values[name] !== false && values[name] !== 'none',
  );
  releasePlaces(values);
  if (alone === undefined || target || (values.clear && alone === 'dry-run')) return;
  const text = `--${alone} needs an update: expected --to, --to-image, --to-latest or --to-multi-arch`;
  throw new TerminalError('InvalidOption', text);
}

/** Writes `spec.desiredUpdate`; nothing with `--dry-run client`.
 *  @throws TerminalError UpgradeRejected */
async function write(
  { kube, values, view }: Requesting,
  desiredUpdate: JsonObject | null,
): Promise<ClusterVersionView> {
  if (values['dry-run'] === 'client') return view;
  try {
    return await patchClusterVersion(kube, { desiredUpdate }, values['dry-run'] === 'server');
  } catch (thrown) {
    if (!isKubeError(thrown) || thrown.failure.status < 400 || thrown.failure.status >= 500) throw thrown;
    const text = desiredUpdate === null ? 'Unable to cancel current rollout' : 'Unable to upgrade';
    throw new TerminalError('UpgradeRejected', `${text}: ${thrown.message}`, { cause: thrown });
  }
}

function suffix({ 'dry-run': dryRun }: Values): string {
  return dryRun === 'none' ? '' : ` (${dryRun} dry run)`;
}

function isEquivalent(
  update: { readonly version?: string; readonly image?: string },
  view: ClusterVersionView,
): boolean {
  const { version, image } = view.desired;
  if ((update.image ?? '') !== '' && image !== '') return update.image === image;
  return (update.version ?? '') !== '' && version !== '' && update.version === version;
}

async function clear(requesting: Requesting): Promise<void> {
  const { view, values } = requesting;
  const { desiredUpdate } = view;
  if (desiredUpdate === undefined) {
    process.stdout.write('info: No update in progress\n');
    return;
  }
  const { acceptRisks } = desiredUpdate;
  const removed = { version: null, image: null, architecture: null, force: null, mode: null };
  const written = await write(
    requesting,
    acceptRisks === undefined ? null : { ...removed, acceptRisks: acceptRisks as unknown as JsonObject[] },
  );
  const nameOf = (one: { readonly version?: string; readonly image?: string }): string =>
    one.version || one.image || '<unknown>';
  const text = isEquivalent(desiredUpdate, written)
    ? `Cleared the update field, still at ${nameOf(written.desired)}`
    : `Cancelled requested upgrade to ${nameOf(desiredUpdate)}`;
  process.stdout.write(printable(`${text}${suffix(values)}\n`));
}

function checkGuards({ view, values }: Requesting): void {
  const guards = guardsOf(view);
  if (guards === undefined) return;
  if (values['allow-upgrade-with-warnings']) {
    warn(`--allow-upgrade-with-warnings is bypassing: ${guards}`);
    return;
  }
  const text = `${guards}\n\nIf you want to upgrade anyway, use --allow-upgrade-with-warnings.`;
  throw new TerminalError('UpgradeGuard', text);
}

/** All fields of another request are removed; risks that were accepted stay so. */
function desiredUpdateOf({ version, image, architecture }: RequestedUpdate, isForced: boolean): JsonObject {
  return {
    version: version === '' ? null : version,
    image: image ?? null,
    architecture: architecture ?? null,
    force: isForced ? true : null,
    mode: null,
  };
}

function requestedText({ version, image, architecture }: RequestedUpdate): string {
  if (architecture !== undefined) return 'Requested update to multi cluster architecture';
  return version === '' ? `Requested update to release image ${image ?? ''}` : `Requested update to ${version}`;
}

async function request(requesting: Requesting, options: TargetOptions): Promise<void> {
  const { kube, values, view } = requesting;
  const target = chooseTarget(view, options);
  if ('info' in target) {
    process.stdout.write(printable(`info: ${target.info}\n`));
    return;
  }
  for (const text of target.warnings) warn(text);
  if (values.force) warn(forceWarning);
  checkGuards(requesting);
  await write(requesting, desiredUpdateOf(target.update, values.force));
  process.stdout.write(printable(`${requestedText(target.update)}${suffix(values)}\n`));
  if (values['dry-run'] !== 'none') await printChanges({ from: view.desired.image, to: target.update.image }, values);
  if (values.wait && values['dry-run'] === 'none')
    await whenCompleted(kube, target.update, { before: view, timeoutMs: values.timeout });
}

/** `longshore upgrade` */
export async function upgrade(values: Values): Promise<number> {
  checkUsage(values);
  const options = targetOptions(values);
  for (const text of checkTarget(options)) warn(text);
  using kube = await openKube(values);
  const view = await readClusterVersion(kube);
  const requesting = { kube, values, view };
  if (values.clear) await clear(requesting);
  else if (hasTarget(options)) await request(requesting, options);
  else {
    const { stdout, stderr } = overviewOf(view, { includesNotRecommended: values['include-not-recommended'] });
    printDocument(values, documentOf(view), () => printable(stdout));
    if (values.output === 'text') process.stderr.write(printable(stderr));
  }
  return 0;
}
