import type { Check, Finding, Severity } from '../../../src/bundle-checks/index.ts';

/** What was found in one bundle. */
export interface Report {
  /** What was asked for. */
  readonly name: string;
  /** Whether `name` is a folder, in which the files of findings are. */
  readonly isFolder: boolean;
  readonly findings: readonly Finding[];
  /** Why the bundle could not be read. */
  readonly failure?: string;
}

/** Turns all reports into one text; `checks` are those that were run. */
export type ReportFormat = (reports: readonly Report[], checks: readonly Check[]) => string;

/** The number of findings of a severity. */
export function countOf({ findings }: Report, severity: Severity): number {
  return findings.filter((finding) => finding.severity === severity).length;
}

/** 2 when a bundle could not be read, 1 when something was found that fails it, else 0. With `isStrict` warnings fail. */
export function exitStatus(reports: readonly Report[], isStrict: boolean): number {
  if (reports.some(({ failure }) => failure !== undefined)) return 2;
  const fails = (report: Report): boolean =>
    countOf(report, 'error') > 0 || (isStrict && countOf(report, 'warning') > 0);
  return Number(reports.some(fails));
}
