import { parseImageReference } from '../../../src/api/index.ts';
import { errorMessage, TerminalError } from '../../../src/base/index.ts';
import { type KubeObject, refOf } from '../../../src/kube/index.ts';
import { openKube } from '../../client/index.ts';
import { type kubeconfigOption, type OptionValues } from '../../command/index.ts';
import { createProgress } from '../../output/index.ts';
import { type ApplyManifestsOptions, applyManifests, withImage } from '../apply-manifests.ts';
import { chooseOverlay, findInstalled, type Installed } from '../installed.ts';
import { removeLeftovers } from '../leftovers.ts';
import { chooseMachines, hasPolicies, type MachineChoice, withMachines } from '../machines.ts';
import { readManifests, shownName } from '../manifests.ts';
import { assertNoOtherOlm, withOlm } from '../olm.ts';
import type { installOptions } from '../options.ts';
import { leaveOthersKinds } from '../others-kinds.ts';
import type { Overlay } from '../overlays.ts';
import { assertInstallable } from '../preconditions.ts';
import { untilInstalled } from '../readiness.ts';
import { shardsAbove, withShards } from '../shards.ts';
import { globalNamespaceOfOther, leftOfOtherOlm, stopOtherOlm } from '../take-over.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof installOptions>;

const applyDeadlineMs = 5 * 60_000;
const stopDeadlineMs = 2 * 60_000;

function assertImage(text: string): void {
  try {
    parseImageReference(text);
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `--image: ${errorMessage(thrown)}`, { cause: thrown });
  }
}

interface Choice {
  readonly overlay: Overlay;
  readonly image: string | undefined;
  readonly shards: number;
  readonly hasOlm: boolean;
  readonly olmNamespace: string | undefined;
  /** Undefined: machines are left alone. */
  readonly machines: MachineChoice | undefined;
}

/** A first installation. */
const initial: Pick<Installed, 'image' | 'shards' | 'hasOlm' | 'machines'> = {
  image: undefined,
  shards: 1,
  hasOlm: false,
  machines: undefined,
};

/** What was not asked for stays as it is installed. */
function choose(values: Values, installed: Installed | undefined): Omit<Choice, 'olmNamespace'> {
  const { image, shards, hasOlm, machines } = { ...initial, ...installed };
  if (values.image !== undefined) assertImage(values.image);
  return {
    overlay: chooseOverlay(values.overlay, installed),
    image: values.image ?? image,
    shards: values.shards ?? shards,
    hasOlm: values.olm ?? hasOlm,
    machines: chooseMachines(values, machines),
  };
}

/** What was not asked for, and is as it was. */
function reportRetained(values: Values, { overlay, image, shards, hasOlm, machines }: Choice): void {
  const retained: readonly (readonly [isAsked: boolean, text: string])[] = [
    [values.overlay !== undefined, `overlay ${overlay}`],
    [values.image !== undefined, image === undefined ? '' : `image ${image}`],
    [values.shards !== undefined, shards > 1 ? `${shards} shards` : ''],
    [values.olm !== undefined, hasOlm ? 'Operator Lifecycle Manager' : ''],
    [values.machines !== undefined, machines === undefined ? '' : `machines of ${machines.actuator}`],
  ];
  const texts = retained.filter(([isAsked, text]) => !isAsked && text !== '').map(([, text]) => text);
  if (texts.length > 0) process.stdout.write(`as installed: ${texts.join(', ')}\n`);
}

/** The objects to apply. */
async function readDesired(
  { overlay, image, shards, hasOlm, olmNamespace, machines }: Choice,
  { kube, signal }: Pick<ApplyManifestsOptions, 'kube' | 'signal'>,
): Promise<readonly KubeObject[]> {
  const sharded = withShards((await readManifests(overlay)) as unknown as KubeObject[], shards);
  const served = hasOlm ? await withOlm(sharded, olmNamespace) : sharded;
  const shipped =
    machines === undefined
      ? served
      : await withMachines(served, { ...machines, arePoliciesServed: await hasPolicies(kube, signal) });
  return image === undefined ? shipped : withImage(shipped, image);
}

/** Those that have what was theirs are ready by now. */
async function removeOtherShards(shards: number, { kube, isDryRun, onApplied }: ApplyManifestsOptions): Promise<void> {
  for (const object of await shardsAbove(shards, kube)) {
    if (!isDryRun) await kube.delete(refOf(object));
    onApplied(object, 'deleted: there are fewer shards');
  }
}

async function whatIsMissing(
  objects: readonly KubeObject[],
  { kube }: ApplyManifestsOptions,
  timeoutMs: number,
): Promise<readonly string[]> {
  using progress = createProgress(process.stderr, { isQuiet: false });
  return await untilInstalled(kube, objects, { progress, timeoutMs });
}

/** Another installation of Operator Lifecycle Manager is in the way, unless it is taken over.
 *  @throws TerminalError OlmPresent, InvalidOption */
async function considerOther(
  values: Values,
  choice: Choice,
  { kube, signal }: Pick<ApplyManifestsOptions, 'kube' | 'signal'>,
): Promise<Choice> {
  const isTakingOver = values['take-over'];
  if (isTakingOver && !choice.hasOlm) throw new TerminalError('InvalidOption', '--take-over needs --olm');
  if (!isTakingOver && choice.hasOlm) await assertNoOtherOlm(kube, signal);
  if (!isTakingOver) return choice;
  return { ...choice, olmNamespace: (await globalNamespaceOfOther(kube, signal)) ?? choice.olmNamespace };
}

/** Stops it when nothing else stands against the installation.
 *  @throws TerminalError as `assertInstallable` and `stopOtherOlm` have it */
async function makeWay(
  values: Values,
  objects: readonly KubeObject[],
  { kube, signal, isDryRun }: ApplyManifestsOptions,
): Promise<void> {
  if (!values['take-over']) return;
  await assertInstallable(objects, { kube, signal });
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  await stopOtherOlm({ kube, signal, print, isDryRun, isConfirmed: values.yes, timeoutMs: stopDeadlineMs });
}

/** What is left of another installation is for the administrator to delete. */
async function reportLeft({ kube, signal }: Pick<ApplyManifestsOptions, 'kube' | 'signal'>): Promise<void> {
  const commands = await leftOfOtherOlm(kube, signal);
  if (commands.length === 0) return;
  process.stdout.write('left of Operator Lifecycle Manager; delete it when all operators are as they should be:\n');
  for (const command of commands) process.stdout.write(`  ${command}\n`);
}

/** `longshore install`: 0 when everything is there and answers. */
export async function install(values: Values): Promise<number> {
  const { timeout: timeoutMs } = values;
  const isDryRun = values['dry-run'];
  using kube = await openKube(values);
  const signal = AbortSignal.timeout(applyDeadlineMs);
  const installed = await findInstalled(kube, signal);
  const asked = { ...choose(values, installed), olmNamespace: installed?.olmNamespace };
  const choice = await considerOther(values, asked, { kube, signal });
  if (installed !== undefined) reportRetained(values, choice);
  const objects = await leaveOthersKinds(await readDesired(choice, { kube, signal }), {
    kube,
    signal,
    onLeft: (crd) => process.stdout.write(`${shownName(crd)} left: another program has brought it\n`),
  });
  const options: ApplyManifestsOptions = {
    kube,
    isDryRun,
    signal,
    onApplied: (object, outcome) => {
      process.stdout.write(`${shownName(object)} ${outcome}${isDryRun ? ' (dry run)' : ''}\n`);
    },
  };
  await makeWay(values, objects, options);
  await applyManifests(objects, options);
  await removeLeftovers(objects, options);
  const isAwaited = !isDryRun && timeoutMs > 0;
  const missing = isAwaited ? await whatIsMissing(objects, options, timeoutMs) : [];
  if (missing.length > 0) {
    process.stderr.write(`longshore: not ready after ${timeoutMs / 1000} s\n${missing.join('\n')}\n`);
    return 1;
  }
  await removeOtherShards(choice.shards, options);
  if (isAwaited) process.stdout.write('Longshore is installed\n');
  if (values['take-over']) await reportLeft({ kube, signal });
  return 0;
}
