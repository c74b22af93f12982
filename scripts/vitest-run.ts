import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The parts of vitest's JSON report that are used. */
export interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly status: string;
      /** In milliseconds. */
      readonly duration?: number | null;
      readonly failureMessages?: readonly string[] | null;
      readonly tags?: readonly string[];
    }[];
  }[];
}

/** Arguments that leave out the tests with the tag `long`. */
export const withoutLong = ['--tags-filter', '!long'] as const;

/** Folders of whole stories, attacks and real clients, of which most start programs: together they take as long as all other tests. */
export const storyFolders: readonly string[] = ['e2e', 'faults', 'clients'].map((name) => `test/${name}/`);

/** Arguments that leave out the tests of these folders. */
export const withoutStories: readonly string[] = storyFolders.flatMap((folder) => ['--exclude', `${folder}**`]);

/** How many tests of a report have the tag `long`. */
export function longTests({ testResults }: VitestReport): number {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return tests.filter(({ tags = [] }) => tags.includes('long')).length;
}

/** Runs a program with our own input and output; gives its exit status. */
export function run(
  command: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: environment });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Runs a program; gives its exit status and all that it printed. */
export function runCaptured(
  command: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const pieces: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => void pieces.push(piece));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(pieces).toString() }));
  });
}

/** Runs vitest, printing as it does, and gives its report; a file that cannot be loaded, or an error outside a test, counts as a failed test. */
export async function runVitest(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<VitestReport> {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-test-'));
  try {
    const file = join(dir, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const code = await run('vitest', ['run', ...reporters, ...args], environment);
    const report = JSON.parse(await readFile(file, 'utf8')) as VitestReport;
    return report.numFailedTests === 0 && code !== 0 ? { ...report, numFailedTests: 1 } : report;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** `N passed, N failed`, with what was skipped. */
export function summaryOf(counts: { passed: number; failed: number; skipped: number }): string {
  const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

/** A file with failed tests. */
export interface FailedFile {
  readonly name: string;
  readonly titles: readonly string[];
  readonly hasTimedOut: boolean;
}

/** Files with failed tests. Empty where one of them could not be loaded, or an error came from outside a test. */
export function failedFiles({ testResults }: VitestReport): readonly FailedFile[] {
  const broken = testResults.filter(({ status }) => status === 'failed');
  const files = broken.map(({ name, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    const messages = failed.flatMap(({ failureMessages }) => failureMessages ?? []);
    const hasTimedOut = messages.some((message) => message.includes('timed out in'));
    return { name, titles: failed.map(({ title }) => title), hasTimedOut };
  });
  return files.some(({ titles }) => titles.length === 0) ? [] : files;
}
