/** `npm run generate:conformance`: runs every test that has the id of a row of test/rows/rows.yaml or machine-rows.yaml, those that can also on a real control plane where one
 *  can be had, keeps what they showed in test/rows/results.json and writes docs/conformance.md and docs/machine-rows.md. Arguments name the files to run; the others keep their results. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { oracleVersion } from '../test/control-plane/index.ts';
import { readResults, type TestResult, writeResults } from '../test/rows/results.ts';
import { idsOfTitle, isRecorded, namedIds } from '../test/rows/row-ids.ts';
import { findStoryPlane } from './story-plane.ts';
import { runVitest, type VitestReport } from './vitest-run.ts';

interface Shown {
  readonly file: string;
  readonly title: string;
  readonly status: string;
}

/** Whether the tests of a file run on a cluster that may be a real one. */
async function needsCluster(file: string): Promise<boolean> {
  return file.startsWith('test/e2e/') || (await readFile(file, 'utf8')).includes('openMachineCluster(');
}

function shownBy({ testResults }: VitestReport): Shown[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ title }) => idsOfTitle(title).some(isRecorded))
      .map(({ title, status }) => ({
        file: relative('.', name),
        title,
        status: status === 'pending' ? 'skipped' : status,
      })),
  );
}

const named = (await namedIds()).filter(({ id }) => isRecorded(id));
const files = [...new Set(named.map(({ file }) => file))];
const asked = process.argv.slice(2);
const chosen = asked.length === 0 ? files : files.filter((file) => asked.some((part) => file.includes(part)));
const clustered = new Set<string>();
for (const file of files) if (await needsCluster(file)) clustered.add(file);
const stories = chosen.filter((file) => clustered.has(file));
const before = (await readResults()).tests;
const embedded = shownBy(await runVitest(chosen));
const plane = await findStoryPlane();
if ('missing' in plane) console.log(`only the embedded server is asked: ${plane.missing}`);
const mayAsk = !('missing' in plane) && stories.length > 0;
const kube = mayAsk ? shownBy(await runVitest(stories, plane.environment)) : undefined;

function kubeResult({ file, title }: Shown): Pick<TestResult, 'kube'> {
  if (!clustered.has(file)) return {};
  const isSame = (other: { file: string; title: string }): boolean => other.file === file && other.title === title;
  if (kube !== undefined) return { kube: kube.find(isSame)?.status ?? 'not run' };
  return { kube: before.find(isSame)?.kube ?? 'not run' };
}

const fresh = embedded.map((shown) => ({
  file: shown.file,
  title: shown.title,
  embedded: shown.status,
  ...kubeResult(shown),
}));
const kept = before.filter(({ file }) => files.includes(file) && !chosen.includes(file));
await writeResults({ kubeVersion: oracleVersion, tests: [...kept, ...fresh] });
await import('./generate-rows-document.ts');
