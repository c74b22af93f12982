import { type ClusterRelease, parseImageReference, type UpdateCondition } from '../../src/api/index.ts';
import { errorMessage, TerminalError } from '../../src/base/index.ts';
import { parseVersion } from '../../src/constraints/index.ts';
import { type ClusterVersionView, conditionOf, indented, notRecommended, reasonText } from './cluster-version.ts';
import { sortedByVersion } from './versions.ts';

/** Which release is requested; at most one of `to`, `toImage`, `isLatest` and `isMultiArch`. */
export interface TargetOptions {
  readonly to: string | undefined;
  readonly toImage: string | undefined;
  readonly isLatest: boolean;
  readonly isMultiArch: boolean;
  readonly isForced: boolean;
  readonly allowsNotRecommended: boolean;
  readonly allowsExplicit: boolean;
}

/** What is written into `spec.desiredUpdate`. */
export interface RequestedUpdate {
  readonly version: string;
  readonly image?: string;
  readonly architecture?: 'Multi';
}

/** The release that options stand for, with what a user should know about it; or why nothing has to be done. */
export type Target =
  | { readonly update: RequestedUpdate; readonly warnings: readonly string[] }
  | { readonly info: string };

const usage = (text: string): TerminalError => new TerminalError('InvalidOption', text);
/** What keeps a user from a release that may not be meant. */
const guard = (text: string): TerminalError => new TerminalError('UpgradeGuard', text);

const byTagWarning =
  'Using by-tag pull specs is dangerous, and while we still allow it in combination with --force for backward compatibility, it would be much safer to pass a by-digest pull spec instead';
const byTagProblem =
  '--to-image must be a by-digest pull spec, unless --force is also set, because release images that are not accessed via digest cannot be verified by the cluster.  Even when --force is set, using tags is not recommended, although we continue to allow it for backwards compatibility';

/** Warnings about a pull spec.
 *  @throws TerminalError InvalidOption */
function checkImage(text: string, isForced: boolean): readonly string[] {
  const problem = !/[:@][^/]+$/.test(text)
    ? 'no tag or digest specified'
    : text.includes('/')
      ? undefined
      : 'no registry or repository specified';
  if (problem !== undefined) throw usage(`--to-image must be a valid image pull spec: ${problem}`);
  try {
    parseImageReference(text);
  } catch (thrown) {
    throw usage(`--to-image must be a valid image pull spec: ${errorMessage(thrown)}`);
  }
  if (parseImageReference(text).tag === undefined) return [];
  if (isForced) return [byTagWarning];
  throw usage(byTagProblem);
}

/** @throws TerminalError InvalidOption */
function checkVersion(text: string): void {
  try {
    parseVersion(text);
  } catch (thrown) {
    throw usage(`--to must be a semantic version (e.g. 4.0.1 or 4.1.0-nightly-20181104): ${errorMessage(thrown)}`);
  }
}

/** @throws TerminalError InvalidOption */
function checkCombination({ to, toImage, isLatest, isMultiArch }: TargetOptions): void {
  const isNamed = to !== undefined || toImage !== undefined;
  if (isMultiArch && (isNamed || isLatest)) {
    throw usage('--to-multi-arch may not be used with --to, --to-image, or --to-latest');
  }
  if (to !== undefined && toImage !== undefined) throw usage('only one of --to or --to-image may be provided');
  if (isLatest && isNamed) throw usage('--to-latest may not be used with --to or --to-image');
}

/** @throws TerminalError InvalidOption */
export function checkTarget(options: TargetOptions): readonly string[] {
  checkCombination(options);
  const { to, toImage, isForced } = options;
  if (to !== undefined) checkVersion(to);
  return toImage === undefined ? [] : checkImage(toImage, isForced);
}

function digestOf(image: string): string | undefined {
  return /@(.+)$/.exec(image)?.[1];
}

function isMatch({ version, image = '' }: ClusterRelease, { to, toImage }: TargetOptions): boolean {
  if (to !== undefined && version === to) return true;
  if (toImage === undefined) return false;
  const digest = digestOf(toImage);
  return image === toImage || (digest !== undefined && digestOf(image) === digest);
}

function updateTo({ version = '', image = '' }: ClusterRelease): RequestedUpdate {
  return { version, image };
}

interface RiskyRelease {
  readonly release: ClusterRelease;
  readonly condition: UpdateCondition;
}

function acceptance({ release, condition }: RiskyRelease): string {
  const { type, status, reason, message } = condition;
  return `with --allow-not-recommended you have accepted the risks with ${release.version ?? ''} and bypassed ${type}=${status} ${reason}: ${message}`;
}

function riskyReleases({ conditionalUpdates }: ClusterVersionView): RiskyRelease[] {
  return conditionalUpdates.flatMap((update) => {
    const condition = notRecommended(update);
    return condition === undefined ? [] : [{ release: update.release, condition }];
  });
}

/** The release among those with risks.
 *  @throws TerminalError UpgradeGuard */
function matchRisky(risky: readonly RiskyRelease[], options: TargetOptions): Target | undefined {
  const found = risky.find(({ release }) => isMatch(release, options));
  if (found === undefined) return undefined;
  const { release, condition } = found;
  if (options.allowsNotRecommended) return { update: updateTo(release), warnings: [acceptance(found)] };
  const { type, status, reason, message } = condition;
  throw guard(
    `the update ${release.version ?? ''} is not one of the recommended updates, but is available as a conditional update. To accept the ${type}=${status} risk and to proceed with update use --allow-not-recommended.\n  Reason: ${reason}\n  Message: ${indented(message)}`,
  );
}

/** Nothing matches. */
function noTarget(view: ClusterVersionView, options: TargetOptions, possible: readonly ClusterRelease[]): Target {
  const option = options.toImage === undefined ? '--to-image' : '--allow-explicit-upgrade';
  const next = `${option} to continue with ${options.isLatest ? 'an' : 'the'} update`;
  const retrieved = conditionOf(view, 'RetrievedUpdates');
  if (retrieved !== undefined && retrieved.status !== 'True') {
    throw guard(`cannot refresh available updates:\n${reasonText(retrieved)}\nspecify ${next}.`);
  }
  const versions = possible.map(({ version = '' }) => version);
  if (versions.length > 0) {
    throw guard(`the update is not one of the possible targets: ${versions.join(', ')}. specify ${next}.`);
  }
  const wait = `specify ${next} or wait for new updates to be available.`;
  if (options.allowsNotRecommended) throw guard(`no recommended or conditional updates, ${wait}`);
  if (!options.isLatest) throw guard(`no recommended updates, ${wait}`);
  return { info: `Cluster is already at the latest available version ${view.desired.version}` };
}

/** The highest one of all that may be chosen. */
function latest(possible: readonly ClusterRelease[], risky: readonly RiskyRelease[]): Target | undefined {
  const [first] = possible;
  if (first === undefined) return undefined;
  const known = risky.find(({ release }) => release.image === first.image);
  return { update: updateTo(first), warnings: known === undefined ? [] : [acceptance(known)] };
}

const explicitWarning =
  'The requested upgrade image is not one of the available updates. You have used --allow-explicit-upgrade for the update to proceed anyway';

/** The release that the cluster has already. */
function present({ desired }: ClusterVersionView, { to, toImage }: TargetOptions): Target | undefined {
  if (to !== undefined && to === desired.version) return { info: `Cluster is already at version ${to}` };
  if (toImage !== undefined && toImage === desired.image) return { info: `Cluster is already at ${toImage}` };
  return undefined;
}

/** A recommended release. */
function matchAvailable({ availableUpdates }: ClusterVersionView, options: TargetOptions): Target | undefined {
  const found = availableUpdates.find((release) => isMatch(release, options));
  if (found === undefined) return undefined;
  const update = updateTo(found);
  // The pull spec that the user gave may name a mirror.
  return { update: options.toImage === undefined ? update : { ...update, image: options.toImage }, warnings: [] };
}

function explicit({ toImage, allowsExplicit }: TargetOptions): Target | undefined {
  if (toImage === undefined || !allowsExplicit) return undefined;
  return { update: { version: '', image: toImage }, warnings: [explicitWarning] };
}

/** @throws TerminalError UpgradeGuard */
function multiArch({ desired, desiredUpdate }: ClusterVersionView): Target {
  if (desiredUpdate?.architecture === 'Multi') {
    throw guard('info: Update to multi cluster architecture has already been requested');
  }
  return { update: { version: desired.version, architecture: 'Multi' }, warnings: [] };
}

/** Chooses the release that options stand for, among those that the status of the cluster lists.
 *  @throws TerminalError UpgradeGuard, with the option that lets the user proceed
 *  @see docs/spec/cluster-version.md#requesting */
export function chooseTarget(view: ClusterVersionView, options: TargetOptions): Target {
  if (options.isMultiArch) return multiArch(view);
  const risky = riskyReleases(view);
  const allowed = options.allowsNotRecommended ? risky.map(({ release }) => release) : [];
  const possible = sortedByVersion([...view.availableUpdates, ...allowed], ({ version = '' }) => version);
  const chosen = options.isLatest
    ? latest(possible, risky)
    : (present(view, options) ?? matchAvailable(view, options) ?? matchRisky(risky, options) ?? explicit(options));
  return chosen ?? noTarget(view, options, possible);
}

/** States of a cluster in which an update should not be requested.
 *  @see docs/spec/cluster-version.md#requesting */
export function guardsOf(view: ClusterVersionView): string | undefined {
  const { version, image } = view.desired;
  const name = version || image || 'ClusterVersion status.desired has neither a version nor image; please open a bug';
  const titles = {
    Invalid: 'the cluster version object is invalid, you must correct the invalid state first:',
    Failing: `the cluster is experiencing an error reconciling ${JSON.stringify(name)}:`,
    Progressing: 'the cluster is already upgrading:',
  };
  const texts = Object.entries(titles).flatMap(([type, title]) => {
    const condition = conditionOf(view, type);
    return condition?.status === 'True' ? [`${title}\n\n${reasonText(condition).trimEnd()}`] : [];
  });
  return texts.length === 0 ? undefined : texts.join('\n\n');
}
