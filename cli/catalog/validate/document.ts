import { type CatalogFinding, type CatalogReport, findingTree } from '../../../src/catalog/index.ts';

/** The report for programs: the message of `opm validate`, and every finding. */
export interface ReportDocument {
  readonly passed: boolean;
  readonly error?: { readonly message: string };
  readonly findings?: readonly object[];
}

/** Whether a catalog passes: it has no errors and, with `isStrict`, no warnings. */
export function isPassed({ findings, more }: CatalogReport, isStrict: boolean): boolean {
  const fails = ({ severity }: CatalogFinding): boolean => severity === 'error' || isStrict;
  return !findings.some(fails) && more === 0;
}

/** Faults of documents line by line, in the text of opm, which reports the first only; then those of graphs as its tree. */
function messageOf(findings: readonly CatalogFinding[]): string {
  const inTree = ({ rule }: CatalogFinding): boolean => /^V\d/.test(rule);
  const lines = findings.filter((finding) => !inTree(finding)).map(({ message }) => message);
  const tree = findingTree(findings.filter(inTree));
  return [...lines, ...(tree === '' ? [] : [tree])].join('\n');
}

function documentOf({ place, ...finding }: CatalogFinding): object {
  return { ...finding, ...place };
}

/** @param isStrict warnings fail, too */
export function reportDocument(report: CatalogReport, isStrict: boolean): ReportDocument {
  const { findings } = report;
  const passed = isPassed(report, isStrict);
  const failing = findings.filter(({ severity }) => severity === 'error' || isStrict);
  return {
    passed,
    ...(passed ? {} : { error: { message: messageOf(failing) } }),
    ...(findings.length === 0 ? {} : { findings: findings.map(documentOf) }),
  };
}
