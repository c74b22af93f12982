import { join } from 'node:path';
import { printable, printableLine } from '../../../src/base/index.ts';
import type { Check, Finding, Severity } from '../../../src/bundle-checks/index.ts';
import { counted } from '../../output/index.ts';
import { countOf, type Report } from './report.ts';

/** How many findings of one check are shown of a bundle before the rest is counted. */
const maxShown = 3;

const words: readonly (readonly [Severity, string])[] = [
  ['error', 'error'],
  ['warning', 'warning'],
  ['info', 'remark'],
];

function countText(report: Report): string {
  const counts = words.flatMap(([severity, word]) => {
    const amount = countOf(report, severity);
    return amount === 0 ? [] : [counted(amount, word)];
  });
  return counts.length === 0 ? 'nothing found' : counts.join(', ');
}

/** `tide/manifests/tide.yaml:3:5`, from where the command runs when the bundle is a folder; empty for a finding without a place. */
export function placeText({ name, isFolder }: Report, { file, line, column }: Finding): string {
  if (file === undefined) return '';
  const position = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`;
  return `${printableLine(isFolder ? join(name, file) : file)}${position}`;
}

function lineText(report: Report, finding: Finding): string {
  const place = placeText(report, finding);
  return `${place === '' ? '' : `${place}: `}${finding.severity} ${finding.id} ${printable(finding.message)}\n`;
}

/** Findings that the same is to be done about, where the first of them was found. */
function groupText(report: Report, findings: readonly Finding[]): string {
  const [first] = findings;
  // A line "and 1 more" takes as much room as the finding.
  const isWhole = findings.length <= maxShown + 1;
  const rest = findings.length - maxShown;
  const more = isWhole ? '' : `    and ${rest} more ${first?.id ?? ''}: --verbose shows them\n`;
  const shown = findings.slice(0, isWhole ? undefined : maxShown).map((finding) => lineText(report, finding));
  return `${shown.join('')}${more}    ${first?.whatToDo ?? ''}\n`;
}

/** The findings of one bundle for a person; its name and how many there are below them. What the same is to be done about stands together, and
 *  of many such findings the first are shown; with `isVerbose` all of them in their order, each with what to do. */
export function reportText(report: Report, isVerbose: boolean): string {
  const { name, findings, failure } = report;
  if (failure !== undefined) return `${name}: could not be read: ${printable(failure)}\n`;
  const groups = isVerbose
    ? findings.map((finding) => [finding])
    : Map.groupBy(findings, ({ id, severity, whatToDo }) => `${id} ${severity} ${whatToDo}`).values();
  return `${[...groups].map((group) => groupText(report, group)).join('')}${name}: ${countText(report)}\n`;
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)) + 2);
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('')}\n`).join('');
}

/** What was found in several bundles together: how they stand, and each check with the bundles that it speaks of, errors and the most frequent first. */
export function summaryText(reports: readonly Report[], checks: readonly Check[]): string {
  const withErrors = reports.filter((report) => countOf(report, 'error') > 0).length;
  const unread = reports.filter(({ failure }) => failure !== undefined).length;
  const clean = reports.filter(({ findings, failure }) => findings.length === 0 && failure === undefined).length;
  const rest = reports.length - withErrors - unread - clean;
  const states = [
    [unread, 'could not be read'],
    [withErrors, 'with errors'],
    [rest, 'with warnings only'],
    [clean, 'without findings'],
  ] as const;
  const shown = states.filter(([amount]) => amount > 0).map(([amount, state]) => `${amount} ${state}`);
  const rows = checks
    .map((check) => ({ check, ...spreadOf(reports, check) }))
    .filter(({ bundles }) => bundles > 0)
    .sort((a, b) => a.rank - b.rank || b.bundles - a.bundles)
    .map(({ check, bundles, rank }) => [
      `  ${counted(bundles, 'bundle')}`,
      words[rank]?.[0] ?? '',
      check.id,
      check.title,
    ]);
  return `\n${counted(reports.length, 'bundle')}: ${shown.join(', ')}\n${aligned(rows)}`;
}

/** In how many bundles a check found something, and how bad the worst of it is. */
function spreadOf(reports: readonly Report[], { id }: Check): { readonly bundles: number; readonly rank: number } {
  const found = reports.map(({ findings }) => findings.filter((finding) => finding.id === id));
  const ranks = found.flat().map(({ severity }) => words.findIndex(([one]) => one === severity));
  return { bundles: found.filter(({ length }) => length > 0).length, rank: Math.min(...ranks) };
}

/** One check a line: id, suite, severity, when it strikes. */
export function listText(checks: readonly Check[]): string {
  return aligned(checks.map(({ id, suite, severity, title }) => [id, suite, severity, title]));
}
