import type { Check, Severity, Suite } from '../../../src/bundle-checks/index.ts';

/** What the checks of a suite are there for. */
const reasons: Readonly<Record<Suite, string>> = {
  default: 'Problems that prevent a bundle from being read, published or installed, or that affect its users.',
  installation:
    'Problems that Longshore itself refuses, with the messages of the conditions of Bundle and BundleDeployment.',
  operatorhub: 'Requirements of OperatorHub.io. Run on request.',
  capabilities: 'Values by which catalogs group operators.',
  categories: 'Values by which catalogs group operators.',
  'deprecated-apis': 'APIs that newer clusters have removed: bundles that use them cannot be installed there.',
  'good-practices': 'Good practices for operators.',
  objects: 'Objects that can affect the whole cluster.',
  community: 'Requirements of community catalogs. Run on request.',
  charts: 'Charts of Helm: what helm lint reports, and what the API server would refuse.',
  multiarch: 'Images, labels and node affinity agree about platforms. Run on request, because it queries registries.',
};
const headings: Readonly<Record<Severity, string>> = {
  error: 'Errors: `validate` ends with 1.',
  warning: 'Warnings: `validate` ends with 0, with `--strict` with 1.',
  info: 'Remarks.',
};
const severities: readonly Severity[] = ['error', 'warning', 'info'];

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function table(checks: readonly Check[], severity: Severity): string {
  const rows = checks
    .filter((check) => check.severity === severity)
    .map(({ id, title, whatToDo }) => `| ${[id, title, whatToDo].map(cell).join(' | ')} |\n`);
  if (rows.length === 0) return '';
  return `\n${headings[severity]}\n\n| id | when | what to do |\n| -- | ---- | ---------- |\n${rows.join('')}`;
}

/** Every check in Markdown, a chapter a suite, so that none can be missing. */
export function checksDocument(checks: readonly Check[]): string {
  const chapters = [...Map.groupBy(checks, ({ suite }) => suite)].map(([suite, ofSuite]) => {
    const tables = severities.map((severity) => table(ofSuite, severity)).join('');
    return `\n## Suite \`${suite}\`\n\n${reasons[suite]}\n${tables}`;
  });
  return chapters.join('');
}
