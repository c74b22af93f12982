/** `npm test`: format, lint, types, dead code, then every test; the last line is `N passed, N failed`.
 *  A static check counts as one test. Exit status 1 when anything failed. With LONGSHORE_TEST_ORACLE=kube the conformance cases are also compared
 *  with a real kube-apiserver, each counting as one test, where one can be had. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
}

const staticChecks = ['check:format', 'check:lint', 'check:types', 'check:dead'];

function run(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

async function runVitest(): Promise<{ passed: number; failed: number; skipped: number }> {
  const dir = await mkdtemp(join(tmpdir(), 'longshore-test-'));
  try {
    const file = join(dir, 'report.json');
    const code = await run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]);
    const report = JSON.parse(await readFile(file, 'utf8')) as VitestReport;
    // A file that cannot be loaded, or an error outside a test, fails the run without a failed test.
    const failed = report.numFailedTests === 0 && code !== 0 ? 1 : report.numFailedTests;
    return { passed: report.numPassedTests, failed, skipped: report.numPendingTests };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

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

let passed = 0;
let failed = 0;
for (const check of staticChecks) {
  console.log(`\n> ${check}`);
  if ((await run('npm', ['run', '--silent', check])) === 0) passed += 1;
  else failed += 1;
}
const tests = await runVitest();
if (process.env['LONGSHORE_TEST_ORACLE'] === 'kube') {
  console.log('\n> conformance:kube');
  const compared = await compareWithKube();
  passed += compared.passed;
  failed += compared.failed;
}
const skipped = tests.skipped === 0 ? '' : `, ${tests.skipped} skipped`;
console.log(`\n${passed + tests.passed} passed, ${failed + tests.failed} failed${skipped}`);
process.exitCode = failed + tests.failed === 0 ? 0 : 1;
