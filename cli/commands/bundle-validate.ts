import { createObjectJudge } from '../../apiserver/index.ts';
import { errorMessage, TerminalError } from '../../src/base/index.ts';
import {
  type Check,
  checks,
  type Finding,
  readBundleForChecks,
  runChecks,
  selectChecks,
} from '../../src/bundle-checks/index.ts';
import { bundleContent } from '../oci/bundle-content.ts';
import { stageBundle } from '../oci/staged-bundle.ts';
import { openWorkFolder } from '../oci/work-folder.ts';
import type { OptionValues } from '../options.ts';
import { createProgress, type Progress } from '../progress.ts';

const deadlineMs = 60 * 60_000;

interface Validation {
  readonly values: OptionValues;
  readonly selected: readonly Check[];
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** What was found in one bundle; `failure` says why it could not be read. */
interface Report {
  readonly name: string;
  readonly findings: readonly Finding[];
  readonly failure?: string;
}

async function validate(name: string, { values, selected, progress, signal }: Validation): Promise<Report> {
  await using work = await openWorkFolder();
  try {
    const { staging } = await stageBundle({ name, values, work, progress, signal });
    await using _staging = staging;
    const bundle = readBundleForChecks(await bundleContent(name, staging));
    return { name, findings: runChecks(bundle, selected, { rules: createObjectJudge() }) };
  } catch (thrown) {
    return { name, findings: [], failure: errorMessage(thrown) };
  }
}

function countText(findings: readonly Finding[]): string {
  const count = (severity: Finding['severity'], word: string): string[] => {
    const amount = findings.filter((finding) => finding.severity === severity).length;
    return amount === 0 ? [] : [`${amount} ${word}${amount === 1 ? '' : 's'}`];
  };
  const counts = [...count('error', 'error'), ...count('warning', 'warning'), ...count('info', 'remark')];
  return counts.length === 0 ? 'nothing found' : counts.join(', ');
}

function placeText({ file, line, column }: Finding): string {
  const position = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`;
  return file === undefined ? '' : `${file}${position}: `;
}

/** Names of several bundles stand above their findings. */
function textOf({ name, findings, failure }: Report): string {
  if (failure !== undefined) return `${name}: could not be read: ${failure}\n`;
  const lines = findings.map(
    (finding) => `${placeText(finding)}${finding.severity} ${finding.id} ${finding.message}\n    ${finding.whatToDo}\n`,
  );
  return `${lines.join('')}${name}: ${countText(findings)}\n`;
}

function statusOf(reports: readonly Report[]): number {
  if (reports.some(({ failure }) => failure !== undefined)) return 2;
  return Number(reports.some(({ findings }) => findings.some(({ severity }) => severity === 'error')));
}

function selectedChecks(values: OptionValues): readonly Check[] {
  const words = (name: string): readonly string[] =>
    ((values[name] as readonly string[] | undefined) ?? []).flatMap((text) => text.split(','));
  try {
    return selectChecks(checks, { select: words('select'), ignore: words('ignore') });
  } catch (thrown) {
    throw new TerminalError('InvalidOption', errorMessage(thrown), { cause: thrown });
  }
}

/** `longshore bundle validate DIR|LAYOUT|REF...` */
export async function bundleValidate(values: OptionValues, names: readonly string[]): Promise<number> {
  using progress = createProgress(process.stderr, { isQuiet: false });
  const work = { values, selected: selectedChecks(values), progress, signal: AbortSignal.timeout(deadlineMs) };
  const reports: Report[] = [];
  for (const [done, name] of names.entries()) {
    progress.show(`judging ${name}`, { done, total: names.length, unit: 'bundles' });
    const report = await validate(name, work);
    reports.push(report);
    progress.clear();
    process.stdout.write(textOf(report));
  }
  return statusOf(reports);
}
