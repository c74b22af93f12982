import { basename, join } from 'node:path';
import { goQuote, printable, printableLine } from '../../../src/base/index.ts';
import type { CatalogFinding, CatalogReport } from '../../../src/catalog/index.ts';
import { counted } from '../../output/index.ts';

/** How a report is shown to people. */
export interface TextOptions {
  /** What was asked for. */
  readonly name: string;
  /** What `name` is: a folder, in which the files of findings are, or that file. */
  readonly kind: 'folder' | 'file' | 'other';
  /** Show every finding, not the first ones of each kind. */
  readonly isVerbose: boolean;
}

/** How many findings of one rule are shown of a package before the rest is counted. */
const maxShown = 3;

/** The path from where the program was started, which an editor opens; of what is in a tar or an image, the path in that. */
function pathOf(file: string, { name, kind }: TextOptions): string {
  if (kind === 'folder') return join(name, file);
  return kind === 'file' && file === basename(name) ? name : file;
}

function placeText({ place }: CatalogFinding, options: TextOptions): string {
  if (place === undefined) return '';
  const file = printableLine(pathOf(place.file, options));
  return `${file}${place.line === undefined ? '' : `:${place.line}`}: `;
}

/** What the texts of stage two leave to the tree that they stand in. */
function contextText({ rule, package: packageName, channel, bundle }: CatalogFinding): string {
  if (/^(?:S|parse)/.test(rule)) return '';
  const levels = [
    ['package', packageName],
    ['channel', channel],
    ['bundle', bundle],
  ] as const;
  const named = levels.flatMap(([word, name]) => (name === undefined ? [] : [`${word} ${goQuote(name)}`]));
  return named.length === 0 ? '' : `${named.join(', ')}: `;
}

function findingText(finding: CatalogFinding, options: TextOptions): string {
  const { severity, rule, message, advice } = finding;
  const line = `${placeText(finding, options)}${severity} ${rule} ${contextText(finding)}${message}`;
  return `${printable(line)}\n${advice === undefined ? '' : `    ${printable(advice)}\n`}`;
}

function inOrder(a: CatalogFinding, b: CatalogFinding): number {
  const [one, other] = [a.place, b.place];
  if (one === undefined || other === undefined) return Number(other === undefined) - Number(one === undefined);
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return (one.line ?? 0) - (other.line ?? 0);
}

function groupText(findings: readonly CatalogFinding[], options: TextOptions): string {
  // A line "and 1 more" takes as much room as the finding.
  const isWhole = options.isVerbose || findings.length <= maxShown + 1;
  const shown = findings.slice(0, isWhole ? undefined : maxShown).map((finding) => findingText(finding, options));
  const more = isWhole
    ? ''
    : `    and ${findings.length - maxShown} more ${findings[0]?.rule ?? ''}: --verbose shows them\n`;
  return `${shown.join('')}${more}`;
}

/** Every finding where it is, in the order of files and lines, and how many there are. */
export function reportText(report: CatalogReport, options: TextOptions): string {
  const { findings, more } = report;
  const groups = Map.groupBy(
    findings.toSorted(inOrder),
    ({ rule, place, package: of = '' }) => `${place?.file} ${rule} ${of}`,
  );
  const count = (severity: string): number => findings.filter((finding) => finding.severity === severity).length;
  const counts = [counted(count('error'), 'error'), counted(count('warning'), 'warning')];
  const what = [
    counted(report.packages, 'package'),
    counted(report.channels, 'channel'),
    counted(report.bundles, 'bundle'),
  ].join(', ');
  const result =
    findings.length === 0 ? 'nothing found' : `${counts.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
  return `${[...groups.values()].map((group) => groupText(group, options)).join('')}${options.name}: ${result} in ${what}\n`;
}
