import { cutText } from '../../src/base/index.ts';
import { type HostileCatalogs, startHostileCatalogs } from './hostile-catalogs.ts';
import { endlessSources, startEndlessServer } from './hostile-sources.ts';
import { type MeasuredReport, runMeasured } from './memory-child.ts';

const mebibyte = 1024 * 1024;
/** Catalogs name some of their faults. */
const maxOutcomeCharacters = 4500;
/** What a reader may report of a server that sends too much, too slowly or nonsense. */
const refusals =
  /limit|expected \d+ bytes, got more|SizeMismatch|digest|larger|more than|no answer within|nothing received|not done|Deadline exceeded|aborted due to timeout|interrupted|nested|JSON|cannot be read|no chart of that name|: read$/;

/** What is wrong with a report: outcomes that are no refusals, or fill a message, and a process that took more memory than it may. In a control group it would
 *  have been ended; what a process has includes the files of programs, which the system keeps in memory once for all. */
export function problemsOf(
  { outcomes, peakMebibytes, group }: MeasuredReport,
  limitMebibytes: number,
): readonly string[] {
  const odd = outcomes.filter((outcome) => !refusals.test(outcome) || outcome.length > maxOutcomeCharacters);
  const isLarge = 'missing' in group && peakMebibytes >= limitMebibytes;
  return isLarge ? [...odd, `took ${peakMebibytes.toFixed(0)} MiB, more than ${limitMebibytes}`] : odd;
}

interface CatalogRun {
  /** Of one catalog. */
  readonly deadlineMs: number;
  readonly limitMebibytes: number;
}

/** As the controllers unpack images of catalogs. */
const asControllers = { atATime: 2 };

/** Has the controllers' threads unpack the images, in one process, and reads the addresses as commands do, one after the other: those over HTTP in one
 *  process, those over gRPC in another. */
export async function readHostileCatalogs(
  { images, urls, registries }: HostileCatalogs,
  { deadlineMs, limitMebibytes }: CatalogRun,
): Promise<{ readonly ofImages: MeasuredReport; readonly ofAddresses: readonly MeasuredReport[] }> {
  const run = (some: Partial<Omit<HostileCatalogs, typeof Symbol.asyncDispose>>): Promise<MeasuredReport> => {
    const task = { ...asControllers, deadlineMs, images: [], urls: [], registries: {}, ...some };
    return runMeasured('catalog-child.ts', task, limitMebibytes);
  };
  const ofImages = await run({ images });
  return { ofImages, ofAddresses: [await run({ urls }), await run({ registries })] };
}

const longLimitMebibytes = 1024;
const longDeadlineMs = 60_000;
const maxShownCharacters = 300;

function describe(what: string, { outcomes, peakMebibytes, peakDiskMebibytes, group }: MeasuredReport): string {
  const ofGroup =
    'missing' in group
      ? `no control group: ${group.missing}`
      : `${group.peakMebibytes.toFixed(0)} MiB in its control group`;
  return `  ${what}: ${outcomes.length} outcomes, ${peakMebibytes.toFixed(0)} MiB of memory (${ofGroup}), ${peakDiskMebibytes.toFixed(0)} MiB of disk`;
}

/** The long form: each endless source `times` times at once, and larger answers; every catalog until it ends by itself or for a minute. Answers whether
 *  all was bounded. */
export async function fetchHostileSources(times: number, report: (line: string) => void): Promise<boolean> {
  await using server = await startEndlessServer();
  const sources = endlessSources(server);
  const task = { sources, times, layerBytes: 24 * mebibyte };
  const fetched = await runMeasured('fetch-child.ts', task, longLimitMebibytes);
  report(describe(`${sources.length} endless sources, each ${times} times at once`, fetched));
  await using catalogs = await startHostileCatalogs();
  const options = { deadlineMs: longDeadlineMs, limitMebibytes: longLimitMebibytes };
  const { ofImages, ofAddresses } = await readHostileCatalogs(catalogs, options);
  report(describe('images of catalogs', ofImages));
  for (const one of ofAddresses) report(describe(one.outcomes[0]?.slice(0, 60) ?? '', one));
  const problems = [fetched, ofImages, ...ofAddresses].flatMap((one) => problemsOf(one, longLimitMebibytes));
  for (const problem of problems) report(`  ${cutText(problem, maxShownCharacters)}`);
  return problems.length === 0;
}
