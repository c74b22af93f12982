import type { Check, Severity, Suite } from '../../../src/bundle-checks/index.ts';

/** What the checks of a suite are there for. */
const reasons: Readonly<Record<Suite, string>> = {
  default: 'What keeps a bundle from being read, published or installed, and what its users will stumble over.',
  installation:
    'What Longshore itself would refuse, in the words that the conditions of a Bundle and a BundleDeployment have.',
  operatorhub: 'What OperatorHub.io asks of operators that it shows. Run on request.',
  capabilities: 'Words that catalogues sort operators by.',
  categories: 'Words that catalogues sort operators by.',
  'deprecated-apis': 'APIs that newer clusters do not serve any more: what uses them cannot be installed there.',
  'good-practices': 'What makes an operator a good neighbour on a cluster.',
  objects: 'Objects that could harm a whole cluster.',
  community: 'What catalogues of the community ask for. Run on request.',
  multiarch:
    'Whether images, labels and node affinity speak of the same platforms. Run on request, because registries are asked for it.',
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
