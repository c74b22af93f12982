import { errorMessage, printable, TerminalError } from '../../../src/base/index.ts';
import { compareVersions, formatVersion, parseVersion, type Version } from '../../../src/constraints/index.ts';
import { openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { type ClusterVersionView, conditionOf, patchClusterVersion, readClusterVersion } from '../cluster-version.ts';

type Values = OptionValues<typeof kubeconfigOption>;

const guard = (text: string): TerminalError => new TerminalError('UpgradeGuard', text);

function readVersion(what: string, text: string): Version {
  try {
    return parseVersion(text);
  } catch (thrown) {
    throw guard(`${what}: ${errorMessage(thrown)}`);
  }
}

/** The release to return to.
 *  @throws TerminalError UpgradeGuard */
export function previousOf(view: ClusterVersionView): { readonly version: string; readonly image: string } {
  const { desired, history } = view;
  const current = readVersion('invalid ClusterVersion status.desired.version', desired.version);
  const at = `${desired.version} (${desired.image})`;
  const entry = history.find(({ version, image }) => version !== desired.version || image !== desired.image);
  if (entry === undefined) {
    throw guard(`no previous version found in ClusterVersion's status.history besides the current ${at}.`);
  }
  const { version: text = '', image } = entry;
  const previous = readVersion(`previous version "${text}" invalid SemVer`, text);
  if (compareVersions(previous, current) >= 0) {
    const advice = `Use 'longshore upgrade ...' to update, and not this rollback command.`;
    throw guard(`previous version ${text} (${image}) is greater than or equal to current version ${at}.  ${advice}`);
  }
  if (previous.major !== current.major || previous.minor !== current.minor) {
    const why = 'rollbacks that change major or minor versions are not recommended.';
    throw guard(
      `${text} is less than the current target ${desired.version} and matches the cluster's previous version, but ${why}`,
    );
  }
  return { version: formatVersion(previous), image };
}

/** @throws TerminalError UpgradeGuard */
export function checkIdle(view: ClusterVersionView): void {
  const condition = conditionOf(view, 'Progressing');
  if (condition === undefined) {
    throw guard('no current Progressing info, see `kubectl describe clusterversion` for more details.');
  }
  const { status, reason = '', message = '' } = condition;
  if (status !== 'False')
    throw guard(`unable to rollback while an update is Progressing=${status}: ${reason}: ${message}.`);
}

/** `longshore upgrade rollback` */
export async function rollback(values: Values): Promise<number> {
  using kube = await openKube(values);
  const view = await readClusterVersion(kube);
  const { version, image } = previousOf(view);
  checkIdle(view);
  await patchClusterVersion(kube, { desiredUpdate: { version, image, architecture: null, force: null } }, false);
  process.stdout.write(printable(`Requested rollback from ${view.desired.version} to ${version}\n`));
  return 0;
}
