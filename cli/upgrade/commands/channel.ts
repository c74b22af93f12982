import { printable, TerminalError } from '../../../src/base/index.ts';
import { openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { type ClusterVersionView, patchClusterVersion, readClusterVersion } from '../cluster-version.ts';
import type { channelOptions } from '../options.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof channelOptions>;

/** A warning about a change of the channel; undefined for none.
 *  @throws TerminalError UpgradeGuard */
export function checkChannel(view: ClusterVersionView, channel: string, isExplicit: boolean): string | undefined {
  const { channels, version } = view.desired;
  const known = channels.join(', ');
  if (channel === '') {
    if (!channels.includes(view.channel) || isExplicit) return undefined;
    const text = `You are requesting to clear the update channel. The current channel "${view.channel}" is one of the available channels, you must pass --allow-explicit-channel to continue`;
    throw new TerminalError('UpgradeGuard', text);
  }
  if (channels.length === 0) {
    return `No channels known to be compatible with the current version "${version}"; unable to validate "${channel}". Setting the update channel to "${channel}" anyway.`;
  }
  if (channels.includes(channel)) return undefined;
  const what = `he requested channel "${channel}" is not one of the available channels (${known})`;
  if (!isExplicit) {
    throw new TerminalError('UpgradeGuard', `t${what}, you must pass --allow-explicit-channel to continue`);
  }
  return `T${what}. You have used --allow-explicit-channel to proceed anyway. Setting the update channel to "${channel}".`;
}

/** `longshore upgrade channel [CHANNEL]` */
export async function channel(values: Values, [name = '']: readonly [string?]): Promise<number> {
  using kube = await openKube(values);
  const view = await readClusterVersion(kube);
  if (name === view.channel) {
    const text = name === '' ? 'Cluster channel is already clear' : `Cluster is already in ${name}`;
    process.stdout.write(printable(`info: ${text} (no change)\n`));
    return 0;
  }
  const warning = checkChannel(view, name, values['allow-explicit-channel']);
  if (warning !== undefined) process.stderr.write(printable(`warning: ${warning}\n`));
  if (name === '') {
    const text = `Clearing channel "${view.channel}"; cluster will no longer request available update recommendations.`;
    process.stderr.write(printable(`warning: ${text}\n`));
  }
  await patchClusterVersion(kube, { channel: name }, false);
  return 0;
}
