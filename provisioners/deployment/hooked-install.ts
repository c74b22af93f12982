import { adoptAnnotation } from '../../src/api/index.ts';
import { clientFor } from '../../src/apply/index.ts';
import { isJsonEqual, sha256Digest, WaitingError } from '../../src/base/index.ts';
import { requeueAfter } from '../../src/controller/index.ts';
import { type RenderedHook, readChartConfig } from '../../src/formats/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { type HookRun, hooksOf, runHooks } from '../chart-hooks/index.ts';
import { releaseNamespace } from '../chart-values.ts';
import type { HookRecord, TestRecord } from '../deployment-record.ts';
import { isReleased } from '../helm-release.ts';
import { actingOwnerOf, configOf, isAsked } from '../installed-record.ts';
import { isEarlierRevision, withInstalledConfig } from './history.ts';
import { desiredRevision, installObjects, isInPlace } from './install-objects.ts';
import type { LoadedRendition } from './load.ts';
import { activeOf, type DeploymentRun, recordOf, saveRecord } from './run.ts';

/** Hooks are looked at so often while they run. */
const lookMs = 2_000;
const maxRecordedObjects = 400;
const changeEvents = ['install', 'upgrade', 'rollback'] as const;

interface Work {
  readonly bundle: KubeObject;
  readonly rendition: LoadedRendition;
  readonly signal: AbortSignal;
  readonly onWrite: () => void;
}

/** What an installation with hooks waits for; undefined when it has come to its end. */
export interface HookWait {
  readonly waitingFor: string;
  /** The objects of the new version are in place. */
  readonly isApplied: boolean;
}

function revisionDigest(run: DeploymentRun, bundle: KubeObject): string {
  return sha256Digest(desiredRevision(run, bundle));
}

/** Whether hooks of what the deployment asks for are still to be run. */
export function hasHooksLeft(run: DeploymentRun, bundle: KubeObject): boolean {
  const { hooks } = recordOf(run);
  return hooks !== undefined && hooks.phase !== 'Done' && hooks.revision === revisionDigest(run, bundle);
}

/** Whether the objects of the version that hooks are run for are in place already. */
export function isApplied(run: DeploymentRun): boolean {
  return recordOf(run).hooks?.phase === 'After';
}

type AnyRecord = HookRecord | TestRecord;

/** Records how far the hooks are, or the tests. */
export async function saveHooks<Kind extends AnyRecord>(
  run: DeploymentRun,
  record: Kind,
  signal: AbortSignal,
): Promise<Kind> {
  await saveRecord(run, () => (record.event === 'test' ? { tests: record } : { hooks: record }), signal);
  return record;
}

/** Whose hooks are run, and for what. Hooks of a removal are those of what is installed, in the namespace and with the account that it was installed with:
 *  what they contain may be read by no other account. */
function hookRunOf(run: DeploymentRun, { revision, event }: AnyRecord, signal: AbortSignal): HookRun {
  const { kube, systemNamespace } = run.context;
  const object = event === 'delete' ? withInstalledConfig(run) : run.object;
  const owner = actingOwnerOf(object);
  const isSameAccount = isJsonEqual({ ...owner.account }, { ...actingOwnerOf(run.object).account });
  return {
    kube: clientFor(kube, owner),
    name: owner.name,
    uid: owner.uid,
    namespace: releaseNamespace(configOf(object), systemNamespace),
    run: sha256Digest(`${revision} ${event}`).slice('sha256:'.length, 'sha256:'.length + 16),
    mayAdopt: isAsked(object, adoptAnnotation) && isSameAccount,
    systemNamespace,
    signal,
  };
}

/** Runs the hooks of a phase; the answer is what is waited for, undefined when all have succeeded. */
export async function runPhase(
  run: DeploymentRun,
  { event, hooks }: { readonly event: string; readonly hooks: readonly RenderedHook[] },
  signal: AbortSignal,
): Promise<string | undefined> {
  const due = hooksOf(hooks, event);
  const current = (): AnyRecord => {
    const { hooks: changes, tests } = recordOf(run);
    const record = event === 'test' ? tests : changes;
    if (record === undefined) throw new Error('hooks are run without a record');
    return record;
  };
  const phase = {
    event,
    hooks: due,
    step: current().step,
    nowMs: run.context.clock.now(),
    note: async ({
      apiVersion,
      kind,
      namespace,
      name,
    }: {
      apiVersion: string;
      kind: string;
      namespace?: string | undefined;
      name: string;
    }) => {
      const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
      const others = current().objects.filter((one) => JSON.stringify(one) !== JSON.stringify(ref));
      await saveHooks(run, { ...current(), objects: [...others, ref].slice(-maxRecordedObjects) }, signal);
    },
    advance: async (step: number) => {
      await saveHooks(run, { ...current(), step }, signal);
    },
  };
  const waitingFor = await runHooks(phase, hookRunOf(run, current(), signal));
  if (waitingFor !== undefined) requeueAfter(run, lookMs);
  return waitingFor;
}

/** Whether Helm has installed the release before: its first version here is an upgrade of it. */
async function isAdopted({ context, object }: DeploymentRun, signal: AbortSignal): Promise<boolean> {
  const owner = actingOwnerOf(object);
  const namespace = releaseNamespace(configOf(object), context.systemNamespace);
  return await isReleased({ kube: clientFor(context.kube, owner), name: owner.name, namespace }, signal);
}

async function eventOf(run: DeploymentRun, bundle: KubeObject, signal: AbortSignal): Promise<HookRecord['event']> {
  if (activeOf(run) === '') return (await isAdopted(run, signal)) ? 'upgrade' : 'install';
  return isEarlierRevision(run, bundle) ? 'rollback' : 'upgrade';
}

/** Ends an installation where it would write its first object: hooks come before that. */
class HooksFirst extends WaitingError {
  constructor() {
    super('HooksFirst', 'hooks are run before objects are written', { afterMs: 0 });
  }
}

/** Begins with the hooks, once nothing else stands against the installation.
 *  @throws what stands against it */
async function beginHooks(run: DeploymentRun, work: Work): Promise<HookRecord> {
  const { bundle, signal } = work;
  const beforeObjects = async (): Promise<void> => {
    await Promise.resolve();
    throw new HooksFirst();
  };
  try {
    await installObjects(run, bundle, { ...work, beforeObjects });
  } catch (thrown) {
    if (!(thrown instanceof HooksFirst)) throw thrown;
  }
  const objects = recordOf(run).hooks?.objects ?? [];
  const revision = revisionDigest(run, bundle);
  const event = await eventOf(run, bundle, signal);
  return await saveHooks(run, { revision, event, phase: 'Before', step: 0, objects }, signal);
}

/** The hooks of a rendition that concern installations at all. */
function concerning(run: DeploymentRun, { hooks = [] }: LoadedRendition): readonly RenderedHook[] {
  if (hooks.length === 0 || readChartConfig(configOf(run.object)).skipsHooks) return [];
  const events = changeEvents.flatMap((event) => [`pre-${event}`, `post-${event}`]);
  return hooks.filter((hook) => hook.events.some((event) => events.includes(event)));
}

/** Installs the objects of a Bundle with the hooks of its chart around them: those before when nothing stands against the installation, and before the
 *  first object is written. Each is run once for a version with its values, in whichever process; the answer is what is waited for. */
export async function installHooked(run: DeploymentRun, work: Work): Promise<HookWait | undefined> {
  const { bundle, rendition, signal } = work;
  const hooks = concerning(run, rendition);
  if (hooks.length === 0) {
    await installObjects(run, bundle, work);
    return undefined;
  }
  const before = recordOf(run).hooks;
  const isBegun = before?.revision === revisionDigest(run, bundle);
  let record = isBegun ? before : await beginHooks(run, work);
  const enter = async (phase: HookRecord['phase']): Promise<void> => {
    record = await saveHooks(run, { ...(recordOf(run).hooks ?? record), phase, step: 0 }, signal);
  };
  if (record.phase === 'Before') {
    const waitingFor = await runPhase(run, { event: `pre-${record.event}`, hooks }, signal);
    if (waitingFor !== undefined) return { waitingFor, isApplied: false };
    await enter('Between');
  }
  if (!(await isInPlace(run, bundle, signal))) await installObjects(run, bundle, work);
  if (record.phase === 'Between') await enter('After');
  if (record.phase === 'After') {
    const waitingFor = await runPhase(run, { event: `post-${record.event}`, hooks }, signal);
    if (waitingFor !== undefined) return { waitingFor, isApplied: true };
    await enter('Done');
  }
  return undefined;
}
