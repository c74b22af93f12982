/** `npm run check`: format, lint, types and dead code, the rules of the folders, and the unit, integration and conformance tests that reach what changed
 *  since the branch left `main`, over the import graph. `-- --since COMMIT` compares with another commit. Exit status 1 when anything failed. */
import { globSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { parseArgs } from 'node:util';
import { groupOf } from '../test/conformance/groups.ts';
import { changedSince, mergeBase } from './changed-files.ts';
import { runStaticChecks } from './static-checks.ts';
import { run } from './vitest-run.ts';

const root = process.cwd();
const projects = ['unit', 'integration', 'conformance'].flatMap((name) => ['--project', name]);
/** They read the whole tree. */
const always = globSync('test/{architecture,rows}/*.test.ts');

/** What the import graph does not show: cases of conformance are imported by name, and data is read beside the code. */
function testsBeside(file: string): readonly string[] {
  if (/^test\/conformance\/(cases|seen)\//.test(file)) {
    return ['document', groupOf(basename(file, extname(file)))].map((name) => `test/conformance/${name}.test.ts`);
  }
  if (file.startsWith('test/conformance/')) return globSync('test/conformance/*.test.ts');
  return file.endsWith('.ts') ? [] : globSync(`${dirname(file)}/*.test.ts`);
}

const { values } = parseArgs({ options: { since: { type: 'string' } } });
const since = values.since ?? mergeBase(root);
const { failed } = await runStaticChecks();
const tests =
  since === undefined
    ? ['run', ...projects]
    : [
        'related',
        '--run',
        ...projects,
        ...always,
        ...changedSince(root, since).flatMap((file) => [file, ...testsBeside(file)]),
      ];
console.log(since === undefined ? '\n> all tests beside the code' : `\n> tests of what changed since ${since}`);
const code = await run('vitest', tests);
process.exitCode = failed === 0 && code === 0 ? 0 : 1;
