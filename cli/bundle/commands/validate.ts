import { readFile } from 'node:fs/promises';
import { createObjectValidator } from '../../../apiserver/index.ts';
import { helmProvisionerClass } from '../../../src/api/index.ts';
import {
  errorMessage,
  fileProblem,
  isJsonObject,
  mapLimit,
  parseJson,
  redactUrl,
  TerminalError,
} from '../../../src/base/index.ts';
import {
  type Check,
  type CheckContext,
  checks,
  readBundleForChecks,
  runChecks,
  selectChecks,
} from '../../../src/bundle-checks/index.ts';
import type { InstallTerms } from '../../../src/formats/index.ts';
import { bundleContent, classOfBundle, openChartRenderer, stageBundle } from '../../bundle-files/index.ts';
import { keepHeapTight, type OptionValues, type registryOptions } from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { createProgress, type Progress } from '../../output/index.ts';
import { type ChartValues, chartTerms } from '../chart/chart-terms.ts';
import type { StagedChart } from '../chart/staged-chart.ts';
import { validateChart } from '../chart/validate-chart.ts';
import type { validateOptions } from '../options.ts';
import { readImagePlatforms } from '../validate/image-platforms.ts';
import { reportJson, reportJsonAlpha1 } from '../validate/json.ts';
import { reportJunit } from '../validate/junit.ts';
import { exitStatus, type Report, type ReportFormat } from '../validate/report.ts';
import { reportSarif } from '../validate/sarif.ts';
import { listText, reportText, summaryText } from '../validate/text.ts';

type Values = OptionValues<typeof validateOptions & typeof registryOptions> & ChartValues;

const deadlineMs = 60 * 60_000;
const bundlesAtATime = 4;

interface Validation {
  readonly values: Values;
  readonly selected: readonly Check[];
  readonly context: Omit<CheckContext, 'rules'>;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** What registries reported about images. */
  readonly known: Parameters<typeof readImagePlatforms>[1];
}

async function validate(name: string, validation: Validation): Promise<Report> {
  const { values, selected, context, progress, signal, known } = validation;
  await using work = await openWorkFolder();
  try {
    const { staging, isFolder } = await stageBundle({ name, values, work, progress, signal });
    await using _staging = staging;
    if (classOfBundle(staging) === helmProvisionerClass) {
      const tools = { charts: openChartRenderer(values, work), signal };
      const terms = ({ metadata }: StagedChart): Promise<InstallTerms> =>
        chartTerms(values, { name: metadata.name, namespace: 'default' });
      return { name, isFolder, findings: await validateChart(name, staging, { terms, tools }) };
    }
    const bundle = readBundleForChecks(await bundleContent(name, staging));
    const wantsImages = selected.some(({ suite }) => suite === 'multiarch');
    const images = wantsImages ? await readImagePlatforms(bundle, known, { values, progress, signal }) : undefined;
    const given = { ...context, ...(images === undefined ? {} : { images }) };
    const findings = runChecks(bundle, selected, { rules: createObjectValidator(), ...given });
    return { name, isFolder, findings };
  } catch (thrown) {
    return { name: redactUrl(name), isFolder: false, findings: [], failure: errorMessage(thrown) };
  }
}

/** The selected checks, or what is wrong with a selector, in the text of operator-sdk.
 *  @throws TerminalError InvalidOption for other words */
function selectedChecks(values: Values): readonly Check[] | string {
  const words = (selectors: readonly string[]): readonly string[] => selectors.flatMap((text) => text.split(','));
  try {
    return selectChecks(checks, { select: words(values.select), ignore: words(values.ignore) });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    if (thrown.reason === 'UnknownSelector') return thrown.message;
    throw new TerminalError('InvalidOption', thrown.message, { cause: thrown });
  }
}

const formats: ReadonlyMap<string, ReportFormat> = new Map([
  ['json', reportJson],
  ['json-alpha1', reportJsonAlpha1],
  ['sarif', reportSarif],
  ['junit', reportJunit],
]);

/** @throws TerminalError InvalidCategories */
async function readCategories(path: string | undefined): Promise<readonly string[] | undefined> {
  if (path === undefined) return undefined;
  const refuse = (why: string): never => {
    throw new TerminalError('InvalidCategories', `could not extract custom categories from categories ${path}: ${why}`);
  };
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => refuse(fileProblem(thrown)));
  const document = parseJson(path, text);
  const categories = isJsonObject(document) ? document['categories'] : undefined;
  const isList = Array.isArray(categories) && categories.every((item) => typeof item === 'string');
  return isList ? categories : refuse('expected {"categories": ["…"]}');
}

async function contextOf(values: Values): Promise<Validation['context']> {
  const kubernetesVersion = values['k8s-version'];
  const categories = await readCategories(values.categories);
  return {
    ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }),
    ...(categories === undefined ? {} : { categories }),
  };
}

type Print = (report: Report) => void;

function printer(progress: Progress, isVerbose: boolean): Print {
  return (report) => {
    progress.clear();
    process.stdout.write(reportText(report, isVerbose));
  };
}

/** Validates several bundles concurrently; reports are in the order of the names. */
async function validateAll(names: readonly string[], work: Validation, print?: Print): Promise<readonly Report[]> {
  const waiting = new Map<number, Report>();
  const { progress } = work;
  let [done, reported] = [0, 0];
  return await mapLimit(names, bundlesAtATime, async (name, index) => {
    progress.show(`validating ${name.length > 40 ? `…${name.slice(-39)}` : name}`, {
      done,
      total: names.length,
      unit: 'bundles',
    });
    const report = await validate(name, work);
    done += 1;
    waiting.set(index, report);
    for (let next = waiting.get(reported); next !== undefined; next = waiting.get(reported)) {
      print?.(next);
      waiting.delete(reported);
      reported += 1;
    }
    return report;
  });
}

/** `longshore bundle validate DIR|FILE|REF|-...` */
export async function bundleValidate(values: Values, names: readonly string[]): Promise<number> {
  const selected = selectedChecks(values);
  if (typeof selected === 'string') {
    process.stderr.write(`longshore: ${selected}\n`);
    return 1;
  }
  if (values.list === true) {
    process.stdout.write(listText(selected));
    return 0;
  }
  if (names.length === 0) throw new TerminalError('InvalidOption', 'bundle validate: DIR|FILE|REF|- is missing');
  if (names.filter((name) => name === '-').length > 1) {
    throw new TerminalError('InvalidOption', 'bundle validate: standard input (-) can be read once');
  }
  keepHeapTight();
  using progress = createProgress(process.stderr, { isQuiet: false });
  const context = await contextOf(values);
  const work = { values, selected, context, progress, signal: AbortSignal.timeout(deadlineMs), known: new Map() };
  const format = formats.get(values.output);
  const print = format === undefined ? printer(progress, values.verbose === true) : undefined;
  const reports = await validateAll(names, work, print);
  progress.clear();
  if (format !== undefined) process.stdout.write(format(reports, selected));
  else if (reports.length > 1) process.stdout.write(summaryText(reports, selected));
  return exitStatus(reports, values.strict === true);
}
