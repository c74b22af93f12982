import { orphanAnnotation, platformPackageLabel } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';
import { compareVersions } from '../../constraints/index.ts';
import { isNotFound, type KubeObject, type OwnerReference, preconditionOf, refOf } from '../../kube/index.ts';
import { choiceOf, hasAccount, installedBy, type PlacedChoice } from './choice.ts';
import { fieldManager, type PlatformContext } from './context.ts';
import {
  desiredDeployment,
  differences,
  isMadeForPackage,
  ownerReference,
  platformOwners,
  repair,
} from './deployment-object.ts';
import { describeKept, neededByOthers } from './needed-by-others.ts';
import { operatorOf, type PlatformRun } from './run.ts';

/** The BundleDeployment that was made for a package. */
export function deploymentOf({ deployments }: PlatformContext, packageName: string): KubeObject | undefined {
  const found = deployments.labelled(platformPackageLabel, packageName).filter((one) => !hasAccount(one));
  return found.find(({ metadata }) => metadata.deletionTimestamp === undefined) ?? found[0];
}

/** Owners of a BundleDeployment that are still there, without `self`. */
function otherOwners({ operators }: PlatformContext, live: KubeObject | undefined, self: KubeObject): OwnerReference[] {
  const all = live?.metadata.ownerReferences ?? [];
  const known = live === undefined ? [] : platformOwners(live);
  return all.filter((reference) => {
    if (!known.includes(reference)) return true;
    return reference.uid !== self.metadata.uid && operators.get(reference.name)?.metadata.uid === reference.uid;
  });
}

/** What a BundleDeployment installs that several PlatformOperators may need: the newest of their choices. */
function choiceFor(choice: PlacedChoice, live: KubeObject | undefined): PlacedChoice {
  const standing = live === undefined ? undefined : choiceOf(live);
  if (standing?.package !== choice.package) return choice;
  return compareVersions(installedBy(standing).version, installedBy(choice).version) > 0 ? standing : choice;
}

function assertFree(
  live: KubeObject | undefined,
  { bundleDeployment: name, package: packageName }: PlacedChoice,
  self: KubeObject,
): void {
  if (live === undefined) return;
  const isOfPackage = isMadeForPackage(live) && live.metadata.labels?.[platformPackageLabel] === packageName;
  // An administrator may have given it an account later.
  const isOwn = platformOwners(live).some(({ uid }) => uid === self.metadata.uid);
  if (isOfPackage && (isOwn || !hasAccount(live))) return;
  const text = `BundleDeployment "${name}" exists, and was not made for package ${packageName}: give the PlatformOperator another name, or delete it, with the annotation ${orphanAnnotation}: "true" if what it has installed is to stay`;
  throw new TerminalError('InstallFailed', text);
}

interface DesiredDeployment {
  readonly choice: PlacedChoice;
  /** Whether it is the package itself, not a dependency. */
  readonly isMain: boolean;
}

function recordDrift({ context, object }: PlatformRun, live: KubeObject, changed: readonly string[]): void {
  const isByHand = changed.some((field) => field.startsWith('spec.'));
  if (!isByHand) return;
  const { name = '' } = live.metadata;
  const message = `BundleDeployment ${name} was changed by another client; corrected: ${changed.join(', ')}`;
  context.events.record(object, { type: 'Warning', reason: 'DriftRepaired', message });
}

/** Whether it existed before: it was not chosen just now, and its state was reported. */
function hasExisted(run: PlatformRun): boolean {
  const installed = operatorOf(run).status?.conditions?.find(({ type }) => type === 'Installed');
  const isReported =
    installed !== undefined && installed.reason !== 'SourceFailed' && installed.reason !== 'InstallFailed';
  return isReported && !run.isChosenNow;
}

function recordLoss({ context, object }: PlatformRun, { bundleDeployment, bundle }: PlacedChoice): void {
  const message = `BundleDeployment ${bundleDeployment} was deleted; created again for ${bundle}`;
  context.events.record(object, { type: 'Warning', reason: 'DriftRepaired', message });
}

/** Creates or corrects a BundleDeployment; returns the result.
 *  @throws TerminalError InstallFailed when another owner has one of that name */
export async function ensureDeployment(
  run: PlatformRun,
  request: DesiredDeployment,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { context, object } = run;
  const { kube, deployments } = context;
  const live = deployments.get(request.choice.bundleDeployment);
  assertFree(live, request.choice, object);
  const choice = request.isMain ? request.choice : choiceFor(request.choice, live);
  const others = otherOwners(context, live, object);
  const mine = ownerReference(object, request.isMain);
  const desired = desiredDeployment(choice, [...others, mine]);
  if (live === undefined) {
    const made = await kube.create(desired, { fieldManager, signal });
    deployments.wrote(made);
    if (hasExisted(run)) recordLoss(run, choice);
    return made;
  }
  const changed = differences(live, desired);
  if (changed.length === 0 || live.metadata.deletionTimestamp !== undefined) return live;
  const written = await kube.patch(refOf(live), repair(live, desired), { fieldManager, signal });
  deployments.wrote(written);
  if (!changed.includes('annotation')) recordDrift(run, live, changed);
  return written;
}

/** Whether it was made for the PlatformOperator: as its package, or as what that needs. */
function madeFor({ object }: PlatformRun, live: KubeObject): 'package' | 'dependency' | undefined {
  const mine = platformOwners(live).find(({ uid }) => uid === object.metadata.uid);
  if (mine === undefined) return undefined;
  return mine.controller === true ? 'package' : 'dependency';
}

/** Those that need a dependency which no PlatformOperator needs any more. */
function usersOf(run: PlatformRun, live: KubeObject): readonly string[] {
  if (madeFor(run, live) !== 'dependency') return [];
  const own = run.context.deployments.values().filter((one) => madeFor(run, one) !== undefined);
  return neededByOthers(run.context, live, own);
}

async function releaseOne(run: PlatformRun, live: KubeObject, signal: AbortSignal): Promise<void> {
  const { kube, deployments, events } = run.context;
  const ownerReferences = otherOwners(run.context, live, run.object);
  const users = ownerReferences.length === 0 ? usersOf(run, live) : [];
  const message = `BundleDeployment ${live.metadata.name ?? ''} is not needed any more`;
  const released = { type: 'Normal', reason: 'Released', message } as const;
  const kept = { type: 'Warning', reason: 'DependencyKept', message: describeKept(live, users) } as const;
  try {
    if (ownerReferences.length === 0 && users.length === 0) {
      // As it was read: another PlatformOperator, or a user, may have become its owner.
      await kube.delete(refOf(live), { ...preconditionOf(live), signal });
    } else {
      const references = ownerReferences.map((reference) => ({ ...reference }));
      const metadata = { ...preconditionOf(live), ownerReferences: references };
      deployments.wrote(await kube.patch(refOf(live), { metadata }, { fieldManager, signal }));
    }
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
  events.record(run.object, users.length === 0 ? released : kept);
}

/** Releases BundleDeployments that the PlatformOperator does not need any more; one without owners is deleted, unless it is a dependency that others need. */
export async function releaseOthers(run: PlatformRun, keep: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  for (const live of run.context.deployments.values()) {
    const { name = '', deletionTimestamp } = live.metadata;
    if (madeFor(run, live) === undefined || keep.has(name) || deletionTimestamp !== undefined) continue;
    if (isMadeForPackage(live)) await releaseOne(run, live, signal);
  }
}
