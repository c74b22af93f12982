import type { Check, Finding } from '../../src/bundle-checks/index.ts';
import { countOf, type Report } from './report.ts';

function countText(report: Report): string {
  const count = (severity: Finding['severity'], word: string): string[] => {
    const amount = countOf(report, severity);
    return amount === 0 ? [] : [`${amount} ${word}${amount === 1 ? '' : 's'}`];
  };
  const counts = [...count('error', 'error'), ...count('warning', 'warning'), ...count('info', 'remark')];
  return counts.length === 0 ? 'nothing found' : counts.join(', ');
}

/** `manifests/tide.yaml:3:5`; empty for a finding without a place. */
export function placeText({ file, line, column }: Finding): string {
  const position = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`;
  return file === undefined ? '' : `${file}${position}`;
}

/** The findings of one bundle for a person, two lines each; its name and how many there are below them. */
export function reportText(report: Report): string {
  const { name, findings, failure } = report;
  if (failure !== undefined) return `${name}: could not be read: ${failure}\n`;
  const lines = findings.map((finding) => {
    const place = placeText(finding);
    const start = place === '' ? '' : `${place}: `;
    return `${start}${finding.severity} ${finding.id} ${finding.message}\n    ${finding.whatToDo}\n`;
  });
  return `${lines.join('')}${name}: ${countText(report)}\n`;
}

/** One check a line: id, suite, severity, when it strikes. */
export function listText(checks: readonly Check[]): string {
  const rows = checks.map(({ id, suite, severity, title }) => [id, suite, severity, title]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)) + 2);
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('')}\n`).join('');
}
