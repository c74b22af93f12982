/** `npm run generate:conformance`: runs every test that has the id of a row of test/rows/rows.yaml, those of test/e2e also on a real control plane where one can be had,
 *  keeps what they showed in test/rows/results.json and writes docs/conformance.md. Arguments name the files to run; the others keep their results. */
import { relative } from 'node:path';
import { oracleVersion } from '../test/control-plane/index.ts';
import { readResults, type TestResult, writeResults } from '../test/rows/results.ts';
import { idsOfTitle, isOperatorRow, namedIds } from '../test/rows/row-ids.ts';
import { findStoryPlane } from './story-plane.ts';
import { runVitest, type VitestReport } from './vitest-run.ts';

interface Shown {
  readonly file: string;
  readonly title: string;
  readonly status: string;
}

function shownBy({ testResults }: VitestReport): Shown[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ title }) => idsOfTitle(title).some((id) => !isOperatorRow(id)))
      .map(({ title, status }) => ({
        file: relative('.', name),
        title,
        status: status === 'pending' ? 'skipped' : status,
      })),
  );
}

const named = (await namedIds()).filter(({ id }) => !isOperatorRow(id));
const files = [...new Set(named.map(({ file }) => file))];
const asked = process.argv.slice(2);
const chosen = asked.length === 0 ? files : files.filter((file) => asked.some((part) => file.includes(part)));
const stories = chosen.filter((file) => file.startsWith('test/e2e/'));
const before = (await readResults()).tests;
const embedded = shownBy(await runVitest(chosen));
const plane = await findStoryPlane();
if ('missing' in plane) console.log(`only the embedded server is asked: ${plane.missing}`);
const mayAsk = !('missing' in plane) && stories.length > 0;
const kube = mayAsk ? shownBy(await runVitest(stories, plane.environment)) : undefined;

function kubeResult({ file, title }: Shown): Pick<TestResult, 'kube'> {
  if (!file.startsWith('test/e2e/')) return {};
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
