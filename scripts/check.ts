/** `npm run check`: format, lint, types and dead code, the rules of the folders, and the tests, but for stories, that reach what changed since the branch
 *  left `main`, nearest first. `-- --since COMMIT` compares with another commit. Exit status 1 when anything failed. */
import { globSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { parseArgs } from 'node:util';
import { groupOf } from '../test/conformance/groups.ts';
import { affectedTests } from './affected-tests.ts';
import { changedSince, mergeBase } from './changed-files.ts';
import { runStaticChecks } from './static-checks.ts';
import { run, storyFolders, withoutStories } from './vitest-run.ts';

const root = process.cwd();
/** They read the whole tree. */
const always = globSync('test/{architecture,rows}/*.test.ts');
/** More take longer than a minute: what all folders import is reached by nearly all tests. */
const maxTests = 60;

/** What the import graph does not show: cases and scenarios of conformance are imported by name, and data is read beside the code. */
function testsBeside(file: string): readonly string[] {
  if (/^test\/conformance\/(cases|seen)\//.test(file)) {
    return ['document', groupOf(basename(file, extname(file)))].map((name) => `test/conformance/${name}.test.ts`);
  }
  if (file.startsWith('test/conformance/')) return globSync('test/conformance/*.test.ts');
  if (/^test\/olm\/(scenarios|seen)\//.test(file)) return ['test/olm/conformance.test.ts'];
  return file.endsWith('.ts') ? [] : globSync(`${dirname(file)}/*.test.ts`);
}

/** The test files to run; none given to vitest means all. */
function testsSince(commit: string): readonly string[] {
  const changed = changedSince(root, commit);
  const affected = affectedTests(root, [...changed, ...changed.flatMap(testsBeside)]);
  const tests = affected.filter((file) => !storyFolders.some((folder) => file.startsWith(folder)));
  const others = affected.length - Math.min(tests.length, maxTests);
  console.log(`\n> tests of what changed since ${commit}`);
  if (others > 0) console.log(`${others} more files of tests reach it; npm run test:long runs them`);
  return [...new Set([...always, ...tests.slice(0, maxTests)])];
}

const { values } = parseArgs({ options: { since: { type: 'string' } } });
const since = values.since ?? mergeBase(root);
const { failed } = await runStaticChecks();
if (since === undefined) console.log('\n> all tests but for stories');
const code = await run('vitest', ['run', ...withoutStories, ...(since === undefined ? [] : testsSince(since))]);
process.exitCode = failed === 0 && code === 0 ? 0 : 1;
