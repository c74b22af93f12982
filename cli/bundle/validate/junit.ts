import type { Check, Finding } from '../../../src/bundle-checks/index.ts';
import type { Report, ReportFormat } from './report.ts';
import { placeText } from './text.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** What XML 1.0 has no place for becomes the sign for that. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\P{Cc}\n\t]|[\uFFFE\uFFFF]/gu, '\uFFFD')
    .replaceAll(/[&<>"\n\t]/g, (found) => entities[found] ?? found);
}

function lineOf(report: Report, finding: Finding): string {
  return [placeText(report, finding), finding.severity, finding.message, finding.whatToDo]
    .filter((part) => part !== '')
    .join(' · ');
}

/** A check fails by its errors; warnings are reported beside it. */
function caseOf(report: Report, { id, suite, title }: Check, findings: readonly Finding[]): string {
  const head = `    <testcase name="${escaped(`${id} ${title}`)}" classname="${escaped(suite)}"`;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (findings.length === 0) return `${head}/>\n`;
  const text = findings.map((finding) => escaped(lineOf(report, finding))).join('\n');
  const body =
    first === undefined
      ? `      <system-out>${text}</system-out>\n`
      : `      <failure message="${escaped(first.message)}" type="${escaped(id)}">${text}</failure>\n`;
  return `${head}>\n${body}    </testcase>\n`;
}

function suiteOf(report: Report, checks: readonly Check[]): string {
  const { name, findings, failure } = report;
  const byId = Map.groupBy(findings, ({ id }) => id);
  const failing = new Set(findings.filter(({ severity }) => severity === 'error').map(({ id }) => id));
  const unread = `    <testcase name="read" classname="loading">\n      <error message="${escaped(failure ?? '')}"/>\n    </testcase>\n`;
  const cases =
    failure === undefined ? checks.map((check) => caseOf(report, check, byId.get(check.id) ?? [])) : [unread];
  const counts = `tests="${cases.length}" failures="${failing.size}" errors="${Number(failure !== undefined)}"`;
  return `  <testsuite name="${escaped(name)}" ${counts}>\n${cases.join('')}  </testsuite>\n`;
}

/** JUnit's XML: a suite a bundle, a case a check. */
export const reportJunit: ReportFormat = (reports, checks) => {
  const suites = reports.map((report) => suiteOf(report, checks)).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="longshore bundle validate">\n${suites}</testsuites>\n`;
};
