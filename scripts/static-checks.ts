import { runCaptured } from './vitest-run.ts';

/** npm scripts that look at the code without running it. */
const staticChecks = ['check:format', 'check:lint', 'check:types', 'check:dead'];

/** Runs all of them at once, since one alone does not keep two cores busy; how many passed and failed. */
export async function runStaticChecks(): Promise<{ readonly passed: number; readonly failed: number }> {
  const results = staticChecks.map(async (check) => ({
    check,
    ...(await runCaptured('npm', ['run', '--silent', check])),
  }));
  let failed = 0;
  for (const result of results) {
    const { check, code, output } = await result;
    console.log(`\n> ${check}\n${output.trimEnd()}`);
    if (code !== 0) failed += 1;
  }
  return { passed: staticChecks.length - failed, failed };
}
