/** `npm test`: format, lint, types, dead code, then the tests; the last line is `N passed, N failed`.
 *  A static check counts as one test. Exit status 1 when anything failed. Stories, and tests with the tag `long`, are left out, unless
 *  LONGSHORE_TEST_LONG=1 asks for them. With LONGSHORE_TEST_ORACLE=kube the conformance cases are also compared with a real kube-apiserver, each counting
 *  as one test, where one can be had. */
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runStaticChecks } from './static-checks.ts';
import {
  failedFiles,
  longTests,
  run,
  runVitest,
  storyFolders,
  summaryOf,
  type VitestReport,
  withoutLong,
  withoutStories,
} from './vitest-run.ts';

/** Passed and failed comparisons; both 0 where there is no real server. */
async function compareWithKube(): Promise<{ passed: number; failed: number }> {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-test-'));
  try {
    const file = join(dir, 'report.json');
    const code = await run('npm', ['run', '--silent', 'conformance:kube', '--', '--report', file]);
    const text = await readFile(file, 'utf8').catch(() => '{"passed":0,"failed":0}');
    const report = JSON.parse(text) as { passed: number; failed: number };
    return { ...report, failed: report.failed === 0 && code !== 0 ? 1 : report.failed };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const maxSecondRuns = 5;
const isStrict = process.env['LONGSHORE_TEST_STRICT'] === '1';
const isLong = process.env['LONGSHORE_TEST_LONG'] === '1';
const selection = isLong ? [] : [...withoutLong, ...withoutStories];

/** Runs the files of failed tests a second time, one after the other; tests that timed out report where they wait. Returns how many tests have failed for
 *  good: one that passes alone is flaky, which is listed, and counts as failed with LONGSHORE_TEST_STRICT=1. */
async function runAgain(report: VitestReport): Promise<number> {
  const files = failedFiles(report);
  if (files.length === 0 || files.length > maxSecondRuns) return report.numFailedTests;
  const flaky: string[] = [];
  let failed = 0;
  for (const file of files) {
    console.log(`\n> ${file.name}: tests failed; a second run, alone`);
    const trace = file.hasTimedOut ? { LONGSHORE_TRACE_WAITS: '1' } : {};
    const second = await runVitest([file.name, ...selection], { ...process.env, ...trace });
    failed += second.numFailedTests;
    if (second.numFailedTests === 0) flaky.push(...file.titles.map((title) => `flaky: ${file.name} > ${title}`));
  }
  if (flaky.length > 0) console.log(`\n${flaky.join('\n')}`);
  return isStrict ? failed + flaky.length : failed;
}

let { passed, failed } = await runStaticChecks();
const tests = await runVitest(selection);
passed += tests.numPassedTests;
const failedTests = await runAgain(tests);
passed += tests.numFailedTests - failedTests;
failed += failedTests;
if (process.env['LONGSHORE_TEST_ORACLE'] === 'kube') {
  console.log('\n> conformance:kube');
  const compared = await compareWithKube();
  passed += compared.passed;
  failed += compared.failed;
}
const leftOut = isLong ? 0 : longTests(tests);
if (!isLong) {
  const stories = globSync(storyFolders.map((folder) => `${folder}**/*.test.ts`)).length;
  console.log(`\nleft out: ${leftOut} long tests, ${stories} files of stories; npm run test:long runs them as well`);
}
console.log(`\n${summaryOf({ passed, failed, skipped: tests.numPendingTests - leftOut })}`);
process.exitCode = failed === 0 ? 0 : 1;
