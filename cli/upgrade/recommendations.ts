import type { ClusterRelease, ConditionalUpdate, OperatorStatusCondition } from '../../src/api/index.ts';
import type { Version } from '../../src/constraints/index.ts';
import { type ClusterVersionView, conditionOf, indented } from './cluster-version.ts';
import { tabbed } from './tabbed.ts';
import { sortedByVersion, tryVersion } from './versions.ts';

/** An update, and what is against it. */
export interface Recommendation {
  readonly release: ClusterRelease;
  readonly parsed: Version;
  /** Undefined when nothing is known. */
  readonly issue: { readonly status: string; readonly reason: string; readonly message: string } | undefined;
}

/** Updates of one minor version, the latest first. */
export interface MinorUpdates {
  readonly minor: string;
  readonly updates: readonly Recommendation[];
}

function issueOf({ release, risks, conditions = [] }: ConditionalUpdate): Recommendation['issue'] {
  if (risks.length === 0) return undefined;
  const condition = conditions.find(({ type }) => type === 'Recommended');
  if (condition === undefined) {
    const names = risks.map(({ name }) => name).toSorted();
    const message = `Conditional update to ${release.version ?? ''} has risks (${names.join(', ')}), but no conditions.`;
    return { status: 'Unknown', reason: 'NoConditions', message };
  }
  return condition.status === 'True' ? undefined : condition;
}

function isRaised(to: Version, from: Version | undefined): boolean {
  if (from === undefined || to.major < from.major) return false;
  return to.major > from.major || to.minor > from.minor;
}

/** Upgradeable=False is against every update to another minor version, unless one of its risks reports the same. */
function withUpgradeable(
  { issue, ...update }: Recommendation,
  condition: OperatorStatusCondition | undefined,
  risks: ConditionalUpdate['risks'],
): Recommendation {
  const { reason = '', message = '' } = condition ?? {};
  if (condition?.status !== 'False' || risks.some((risk) => risk.message.includes(message)))
    return { ...update, issue };
  if (issue === undefined) return { ...update, issue: { status: 'False', reason, message } };
  const joined = { status: 'False', reason: 'MultipleReasons', message: `${message}\n\n${issue.message}` };
  return { ...update, issue: joined };
}

/** All updates by minor version, the highest first. */
export function recommendationsOf(view: ClusterVersionView): readonly MinorUpdates[] {
  const conditional = new Set(view.conditionalUpdates.map(({ release }) => release.image));
  const plain = view.availableUpdates.filter(({ image }) => !conditional.has(image));
  const all = [...view.conditionalUpdates, ...plain.map((release): ConditionalUpdate => ({ release, risks: [] }))];
  const current = tryVersion(view.desired.version);
  const upgradeable = conditionOf(view, 'Upgradeable');
  const updates = all.flatMap((update) => {
    const parsed = tryVersion(update.release.version ?? '');
    if (parsed === undefined) return [];
    const recommendation = { release: update.release, parsed, issue: issueOf(update) };
    return [isRaised(parsed, current) ? withUpgradeable(recommendation, upgradeable, update.risks) : recommendation];
  });
  const sorted = sortedByVersion(updates, ({ release }) => release.version ?? '');
  const groups = Map.groupBy(sorted, ({ parsed }) => `${parsed.major}.${parsed.minor}`);
  return [...groups].map(([minor, members]) => ({ minor, updates: members }));
}

const shownReleases = 2;
const noIssues = 'no known issues relevant to this cluster';

function versionOf({ release }: Recommendation): string {
  return release.version ?? '';
}

/** One line for each update. */
function shortText({ minor, updates }: MinorUpdates): string {
  const rows = updates.map((update) => [`  ${versionOf(update)}`, update.issue?.reason ?? noIssues]);
  const table = tabbed([['  VERSION', 'ISSUES'], ...rows], { minWidth: 14, padding: 1 });
  return `\nUpdates to ${minor}:\n${table}`;
}

/** An update behind another one, or the first one. */
function updateText(update: Recommendation, before: Recommendation | undefined): string {
  const { issue, release } = update;
  if (issue !== undefined) {
    const message = `  Reason: ${issue.reason}\n  Message: ${indented(issue.message.trim())}\n`;
    return `\n  Version: ${versionOf(update)}\n  Image: ${release.image ?? ''}\n${message}`;
  }
  // A table continues, or begins.
  const isContinued = before !== undefined && before.issue === undefined;
  const header = isContinued ? [] : [['  VERSION', 'ISSUES']];
  const table = tabbed([...header, [`  ${versionOf(update)}`, noIssues]], { minWidth: 14, padding: 1 });
  return before === undefined || isContinued ? table : `\n${table}`;
}

/** The latest updates, with what is against them. */
function longText({ minor, updates }: MinorUpdates): string {
  const shown = updates.slice(0, shownReleases);
  const text = shown.map((update, index) => updateText(update, shown[index - 1])).join('');
  const [next] = updates.slice(shownReleases);
  if (next === undefined) return `\nUpdates to ${minor}:\n${text}`;
  const hint = `And ${updates.length - shownReleases} older ${minor} updates you can see with '--show-outdated-releases' or '--version VERSION'.\n`;
  const gap = shown.at(-1)?.issue === undefined && next.issue === undefined ? '' : '\n';
  return `\nUpdates to ${minor}:\n${text}${gap}${hint}`;
}

/** What `longshore upgrade recommend` prints about all updates. */
export function recommendationsText(groups: readonly MinorUpdates[], showsOutdated: boolean): string {
  if (groups.length === 0) {
    return 'No updates available. You may still upgrade to a specific release image with --to-image or wait for new updates to be available.\n';
  }
  return groups.map((group) => (showsOutdated ? shortText(group) : longText(group))).join('');
}

/** What it prints about one update. */
export function recommendationText({ release, issue }: Recommendation, isAccepted: boolean): string {
  const { version = '', image = '', url = '' } = release;
  const about = `Image: ${image}\nRelease URL: ${url}\n`;
  if (issue === undefined) return `\nUpdate to ${version} has no known issues relevant to this cluster.\n${about}`;
  const reason = isAccepted ? `accepted ${issue.reason} via ConditionalUpdateRisk` : issue.reason;
  return `\nUpdate to ${version} Recommended=${issue.status}:\n${about}Reason: ${reason}\nMessage: ${indented(issue.message)}\n`;
}
