import { run } from './vitest-run.ts';

/** npm scripts that look at the code without running it. */
const staticChecks = ['check:format', 'check:lint', 'check:types', 'check:dead'];

/** Runs all of them; how many passed and failed. */
export async function runStaticChecks(): Promise<{ readonly passed: number; readonly failed: number }> {
  let failed = 0;
  for (const check of staticChecks) {
    console.log(`\n> ${check}`);
    if ((await run('npm', ['run', '--silent', check])) !== 0) failed += 1;
  }
  return { passed: staticChecks.length - failed, failed };
}
