import { join } from 'node:path';
import type { Check, Finding, Severity } from '../../../src/bundle-checks/index.ts';
import type { Report, ReportFormat } from './report.ts';

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

/** Relative to the folder that the command runs in, as services that show findings want it. */
function uriOf({ name, isFolder }: Report, file: string | undefined): string {
  // What is missing from a bundle has no file: the finding is about the bundle.
  const path = isFolder ? join(name, file ?? '') : (file ?? name);
  return path.split('/').map(encodeURIComponent).join('/');
}

function locationOf(report: Report, { file, line, column, fieldPath }: Finding): object {
  // GitHub shows nothing that has no line.
  const region = { startLine: line ?? 1, ...(column === undefined ? {} : { startColumn: column }) };
  const physicalLocation = { artifactLocation: { uri: uriOf(report, file) }, region };
  const fullyQualifiedName = [report.name, ...(fieldPath === undefined ? [] : [fieldPath])].join(' ');
  return { physicalLocation, logicalLocations: [{ fullyQualifiedName }] };
}

function ruleOf({ id, title, whatToDo, severity, suite }: Check): object {
  return {
    id,
    shortDescription: { text: title },
    help: { text: whatToDo },
    defaultConfiguration: { level: levels[severity] },
    properties: { tags: [suite] },
  };
}

function notificationOf({ name, failure }: Report): object {
  return { level: 'error', message: { text: `${name}: could not be read: ${failure ?? ''}` } };
}

/** SARIF 2.1.0: one run, a rule a check, a result a finding. @see https://docs.oasis-open.org/sarif/sarif/v2.1.0 */
export const reportSarif: ReportFormat = (reports, checks) => {
  const indexes = new Map(checks.map(({ id }, index) => [id, index]));
  const results = reports.flatMap((report) =>
    report.findings.map((finding) => ({
      ruleId: finding.id,
      ruleIndex: indexes.get(finding.id) ?? -1,
      level: levels[finding.severity],
      message: { text: `${finding.message}\n${finding.whatToDo}` },
      locations: [locationOf(report, finding)],
    })),
  );
  const failed = reports.filter(({ failure }) => failure !== undefined);
  const run = {
    tool: { driver: { name: 'longshore bundle validate', rules: checks.map(ruleOf) } },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: failed.length === 0,
        toolExecutionNotifications: failed.map(notificationOf),
      },
    ],
    results,
  };
  const $schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `${JSON.stringify({ $schema, version: '2.1.0', runs: [run] }, undefined, 2)}\n`;
};
