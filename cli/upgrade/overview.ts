import { type ClusterVersionView, conditionOf, indented, notRecommended, reasonText } from './cluster-version.ts';
import { tabbed } from './tabbed.ts';
import { sortedByVersion } from './versions.ts';

/** What a command prints. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

const noUpdates =
  'No updates available. You may still upgrade to a specific release image with --to-image or wait for new updates to be available.\n';

function missing(type: string): string {
  return `warning: No current ${type} info, see \`kubectl describe clusterversion\` for more details.\n`;
}

/** A condition that is not as it should be. */
function noticeOf(view: ClusterVersionView, type: string, isShown: (status: string) => boolean): string {
  const condition = conditionOf(view, type);
  if (condition === undefined || !isShown(condition.status)) return '';
  const colon = type === 'Failing' ? ':' : '';
  return `${type}=${condition.status}${colon}\n\n${reasonText(condition)}\n`;
}

function progressOf(view: ClusterVersionView): Printed {
  const { status, message = '' } = conditionOf(view, 'Progressing') ?? { status: '' };
  if (message === '') return { stdout: '\n', stderr: missing('Progressing') };
  const start = status === 'True' ? 'info: An upgrade is in progress. ' : '';
  return { stdout: `${start}${message}\n\n`, stderr: '' };
}

/** Where updates come from: the update service and the channel. */
export function originOf({ channel, upstream, desired }: ClusterVersionView, service: string): string {
  if (channel === '') return '';
  const known = desired.channels.length === 0 ? '' : ` (available channels: ${desired.channels.join(', ')})`;
  const from =
    upstream === ''
      ? `${service} is unset, so the cluster will use an appropriate default.`
      : `${service}: ${upstream}`;
  return `${from}\nChannel: ${channel}${known}\n`;
}

function recommendedUpdates(view: ClusterVersionView): Printed {
  const releases = sortedByVersion(view.availableUpdates, ({ version = '' }) => version);
  const retrieved = conditionOf(view, 'RetrievedUpdates');
  const isStale = retrieved?.status === 'False';
  const what = releases.length === 0 ? 'display' : 'refresh';
  const stderr = isStale ? `warning: Cannot ${what} available updates:\n${reasonText(retrieved)}\n` : '';
  if (releases.length === 0) return { stdout: isStale ? '' : noUpdates, stderr };
  const rows = releases.map(({ version = '', image = '' }) => [`  ${version}`, image]);
  const table = tabbed([['  VERSION', 'IMAGE'], ...rows], { minWidth: 14, padding: 1 });
  return { stdout: `\nRecommended updates:\n\n${table}`, stderr };
}

function updatesWithIssues({ conditionalUpdates }: ClusterVersionView): string {
  const updates = sortedByVersion(conditionalUpdates, ({ release }) => release.version ?? '');
  const texts = updates.flatMap((update) => {
    const condition = notRecommended(update);
    if (condition === undefined) return [];
    const { version = '', image = '' } = update.release;
    const text = `  Reason: ${condition.reason}\n  Message: ${indented(condition.message.trim())}\n`;
    return [`\n  Version: ${version}\n  Image: ${image}\n${text}`];
  });
  if (texts.length === 0) {
    return '\nNo updates which are not recommended based on your cluster configuration are available.\n';
  }
  return `\nUpdates with known issues:\n${texts.join('')}`;
}

function hintAtIssues({ conditionalUpdates }: ClusterVersionView): string {
  const statuses = conditionalUpdates.flatMap((update) => notRecommended(update)?.status ?? []);
  if (statuses.length === 0) return '';
  const other = statuses.find((status) => status !== 'False');
  const qualifier = other === undefined ? '' : `, or where the recommended status is "${other}",`;
  return `\nAdditional updates which are not recommended${qualifier} for your cluster configuration are available, to view those re-run the command with --include-not-recommended.\n`;
}

/** What `longshore upgrade` prints.
 *  @see docs/spec/cluster-version.md#command-line */
export function overviewOf(view: ClusterVersionView, options: { readonly includesNotRecommended: boolean }): Printed {
  const progress = progressOf(view);
  const updates = recommendedUpdates(view);
  const stdout = [
    noticeOf(view, 'Failing', (status) => status !== 'False'),
    progress.stdout,
    noticeOf(view, 'Upgradeable', (status) => status === 'False'),
    noticeOf(view, 'ReleaseAccepted', (status) => status !== 'True'),
    originOf(view, 'Upstream'),
    updates.stdout,
    options.includesNotRecommended ? updatesWithIssues(view) : hintAtIssues(view),
  ];
  const isFailingKnown = conditionOf(view, 'Failing') !== undefined;
  const stderr = [isFailingKnown ? '' : missing('Failing'), progress.stderr, updates.stderr];
  return { stdout: stdout.join(''), stderr: stderr.join('') };
}
