import type { InstallationEnd, InstallationProgress, Inventory } from '../../src/apply/index.ts';
import { sha256Digest } from '../../src/base/index.ts';
import { requeueAfter } from '../../src/controller/index.ts';
import { describeRef, type KubeObject, type ObjectRef } from '../../src/kube/index.ts';
import type { DeploymentRecord } from '../deployment-record.ts';
import { takeOverRelease } from '../helm-release.ts';
import {
  actingOwnerOf,
  installOptionsOf,
  markInstalled,
  namespaceTerms,
  ownerOf,
  revisionOf,
} from '../installed-record.ts';
import { placeOf } from '../rendition.ts';
import type { LoadedRendition } from './load.ts';
import { activeOf, continueWith, type DeploymentRun, recordOf, saveRecord, setRecord } from './run.ts';

/** What the deployment wants of the objects of a Bundle, with what its `valuesFrom` refers to. */
export function desiredRevision({ object, values }: DeploymentRun, bundle: KubeObject): string {
  const digest = values?.digest ?? '';
  return `${revisionOf(object, bundle)}${digest === '' ? '' : ` and ${digest}`}`;
}

/** Names what is installed, certificates included. */
function fullRevisionOf(run: DeploymentRun, bundle: KubeObject): string {
  const state = run.context.servingCertificates.stateOf(run.object.metadata.name ?? '');
  return `${desiredRevision(run, bundle)}${state}`;
}

/** As it is recorded: another version of this program may render the same content in another way. */
function revisionDigestOf(run: DeploymentRun, bundle: KubeObject): string {
  return sha256Digest(`${run.context.tool} ${fullRevisionOf(run, bundle)}`);
}

interface Work {
  readonly rendition: LoadedRendition;
  readonly signal: AbortSignal;
  /** Called before anything is written. */
  readonly onWrite?: () => void;
  /** As the engine calls it. */
  readonly beforeObjects?: (() => Promise<void>) | undefined;
}

const maxNamedObjects = 10;
function reportRepair(run: DeploymentRun, revision: string, repaired: readonly ObjectRef[]): void {
  if (repaired.length === 0) return;
  const isContested = run.hooks.drift.repaired(ownerOf(run.object).name, revision);
  const more = repaired.length > maxNamedObjects ? ` and ${repaired.length - maxNamedObjects} more` : '';
  const names = repaired.slice(0, maxNamedObjects).map(describeRef).join(', ');
  const message = `Corrected drift of ${names}${more}`;
  run.context.events.record(run.object, { type: 'Normal', reason: 'DriftRepaired', message });
  if (!isContested) return;
  const contest = `Another writer keeps changing ${names}${more}: its managedFields show which one; until that ends, drift is corrected less and less often, at last every 5 minutes`;
  run.context.events.record(run.object, { type: 'Warning', reason: 'DriftContested', message: contest });
}

/** Whether drift is left for a while, because another writer repeats it. */
export function isLeftForNow(run: DeploymentRun, bundle: KubeObject): boolean {
  const waitMs = run.hooks.drift.pauseMs(ownerOf(run.object).name, desiredRevision(run, bundle));
  if (waitMs > 0) requeueAfter(run, waitMs);
  return waitMs > 0;
}

/** Where objects are by the record, or, where that names none, RukPak has installed them. */
async function inventoryFor(run: DeploymentRun, signal: AbortSignal): Promise<Inventory> {
  const { inventory, installation } = recordOf(run);
  if (installation !== 'Done' || inventory.kinds.length > 0 || activeOf(run) === '') return inventory;
  return (await takeOverRelease(run.context, run.object, signal)) ?? inventory;
}

/** Where objects are that name no namespace, where nothing but the system namespace decides or has decided that. */
function impliedNamespace(run: DeploymentRun, installNamespace: string | undefined): string | undefined {
  if (installNamespace === undefined) return run.context.systemNamespace;
  return installNamespace === recordOf(run).defaultNamespace ? installNamespace : undefined;
}

/** Records what is to be installed, and from which content, before the first object of it is written; at the end, what is in place, which is written with
 *  the status. */
async function recordInstallation(
  run: DeploymentRun,
  next: {
    readonly bundle: KubeObject;
    readonly contentDigest: string;
    readonly inventory: Inventory;
    /** As the engine gets it. */
    readonly installNamespace: string | undefined;
    readonly progress: InstallationProgress;
    readonly end: InstallationEnd | undefined;
  },
  signal: AbortSignal,
): Promise<void> {
  const { inventory, installNamespace, progress: installation, contentDigest, end } = next;
  const { uid = '' } = next.bundle.metadata;
  const installingBundle = installation === 'Done' ? '' : uid;
  const state = end?.stateDigest;
  const inPlace = state === undefined ? undefined : { revision: revisionDigestOf(run, next.bundle), state };
  const change = (before: DeploymentRecord): Partial<DeploymentRecord> => {
    const bundles = before.bundles.map((entry) => (entry.uid === uid ? { ...entry, contentDigest } : entry));
    const implied = impliedNamespace(run, installNamespace);
    // Until its end the version before may have to be corrected.
    const defaultNamespace = end === undefined ? (implied ?? before.defaultNamespace) : implied;
    return { bundles, inventory, installation, installingBundle, defaultNamespace, inPlace };
  };
  if (end === undefined) await saveRecord(run, change, signal);
  else setRecord(run, change);
  const marked = await markInstalled(run.context, run.object, { inventory, signal });
  if (marked !== run.object) continueWith(run, marked);
}

/** Installs the objects of a Bundle for the deployment. */
export async function installObjects(
  run: DeploymentRun,
  bundle: KubeObject,
  { rendition, signal, onWrite, beforeObjects }: Work,
): Promise<void> {
  const { contentDigest } = rendition;
  const options = { ...installOptionsOf(run.object), ...placeOf(rendition) };
  const { installNamespace } = options;
  const repaired = await run.context.engine.install({
    owner: actingOwnerOf(run.object),
    revision: fullRevisionOf(run, bundle),
    ...options,
    recorded: await inventoryFor(run, signal),
    ...namespaceTerms(run.context, run.object),
    record: async (inventory, progress, end) => {
      onWrite?.();
      await recordInstallation(run, { bundle, contentDigest, inventory, installNamespace, progress, end }, signal);
    },
    isUpgrade: activeOf(run) !== '',
    crdSafety: {
      annotations: run.object.metadata.annotations,
      isRestored: bundle.metadata.name === activeOf(run),
    },
    onRetained: (why) => {
      run.kept.push(why);
      run.context.events.record(run.object, { type: 'Warning', reason: 'CrdInUse', message: why });
    },
    onUnfitNamespace: (message) => {
      run.context.events.record(run.object, { type: 'Warning', reason: 'NamespaceTooStrict', message });
    },
    onFormer: (message) => {
      run.context.events.record(run.object, { type: 'Warning', reason: 'FormerObjectsKept', message });
    },
    objects: rendition.objects,
    beforeObjects,
    signal,
  });
  reportRepair(run, desiredRevision(run, bundle), repaired);
}

/** Whether these objects of a Bundle are in place, as far as this process knows. */
function isKnownInPlace(run: DeploymentRun, bundle: KubeObject): boolean {
  return run.context.engine.isInPlace(ownerOf(run.object), fullRevisionOf(run, bundle));
}

/** Whether a Bundle was installed last with the configuration that the deployment has, though some of its objects may have changed since. */
export function wasInstalledAsIs(run: DeploymentRun, bundle: KubeObject): boolean {
  const known = run.context.engine.revisionOf(ownerOf(run.object));
  if (known !== undefined) return known === fullRevisionOf(run, bundle);
  return recordOf(run).inPlace?.revision === revisionDigestOf(run, bundle);
}

/** Whether these objects of a Bundle are in place: installed by this process, or by an earlier one that recorded it, without a change since. */
export async function isInPlace(run: DeploymentRun, bundle: KubeObject, signal: AbortSignal): Promise<boolean> {
  if (isKnownInPlace(run, bundle)) return true;
  const { inPlace, inventory, installation } = recordOf(run);
  if (installation !== 'Done' || inPlace?.revision !== revisionDigestOf(run, bundle)) return false;
  const revision = fullRevisionOf(run, bundle);
  const request = { owner: ownerOf(run.object), revision, stateDigest: inPlace.state, recorded: inventory, signal };
  return await run.context.engine.recall(request);
}
