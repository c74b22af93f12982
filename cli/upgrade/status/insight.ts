import { tabbed } from '../tabbed.ts';
import { shortDuration } from './durations.ts';

/** Something that slows an update down, stops it, or makes a part of the cluster unavailable. */
export interface Insight {
  /** Milliseconds since the epoch; undefined when unknown. */
  readonly sinceMs: number | undefined;
  readonly level: 'Info' | 'Warning' | 'Error';
  readonly impact: 'None' | 'API Availability' | 'Update Speed' | 'Update Stalled';
  readonly summary: string;
  readonly description: string;
  /** `clusteroperators.config.openshift.io: dns` */
  readonly object: string;
  /** A command that shows more. */
  readonly next: string;
}

const levels = ['Error', 'Warning', 'Info'];

/** The worst first, of these the latest; those of one time in their order. */
function sorted(insights: readonly Insight[]): readonly Insight[] {
  const since = ({ sinceMs = 0 }: Insight): number => sinceMs;
  return insights.toSorted((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level) || since(b) - since(a));
}

function sinceText({ sinceMs }: Insight, nowMs: number): string {
  return sinceMs === undefined ? '-' : shortDuration(nowMs - sinceMs);
}

function detail(insight: Insight, nowMs: number): string {
  const { summary, level, impact, object, next, description } = insight;
  const rows = { Since: sinceText(insight, nowMs), Level: level, Impact: impact, Next: next };
  const lines = Object.entries(rows).map(([name, value]) => `  ${`${name}:`.padEnd(13)}${value}\n`);
  const text = description.replaceAll('\n', `\n${' '.repeat(15)}`);
  return `Message: ${summary}\n${lines.join('')}  Resources:\n    ${object}\n  Description: ${text}\n`;
}

/** The section Update Health. */
export function healthText(
  insights: readonly Insight[],
  {
    isDetailed,
    nowMs,
    startedMs,
  }: { readonly isDetailed: boolean; readonly nowMs: number; readonly startedMs: number },
): string {
  const title = '= Update Health =\n';
  const header = ['SINCE', 'LEVEL', 'IMPACT', 'MESSAGE'];
  const options = { minWidth: 0, padding: 3 };
  if (insights.length === 0) {
    const since = shortDuration(Math.round((nowMs - startedMs) / 1000) * 1000);
    return `${title}${tabbed([header, [since, 'Info', 'None', 'Update is proceeding well']], options)}`;
  }
  const all = sorted(insights);
  if (isDetailed) return `${title}${all.map((insight) => detail(insight, nowMs)).join('\n')}`;
  const rows = all.map((one) => [sinceText(one, nowMs), one.level, one.impact, one.summary]);
  const hint = '\nRun with --details=health for additional description and commands that show more\n';
  return `${title}${tabbed([header, ...rows], options)}${hint}`;
}
