/** `npm run conformance:catalog-registry`: asks opm and our registry everything about a real catalog, and prints what differs; `--record`
 *  records what opm answers for `npm test`. */
import { parseArgs } from 'node:util';
import { askAll, recordingOf, writeRecording } from '../test/catalog-registry/answers.ts';
import { findOpm, opmVersion, startOpm } from '../test/catalog-registry/opm.ts';
import { startOurs } from '../test/catalog-registry/ours.ts';
import { questionsOf } from '../test/catalog-registry/questions.ts';
import { corpusCatalogDir } from '../test/support/corpus.ts';

const maxShown = 20;
const maxShownLength = 2000;
const { values } = parseArgs({ options: { record: { type: 'boolean', default: false } } });

async function main(): Promise<void> {
  if (corpusCatalogDir === undefined) throw new Error('the folder of real catalogs is not there');
  const opm = await findOpm(console.log);
  if ('missing' in opm) throw new Error(opm.missing);
  await using theirs = await startOpm(opm.path, corpusCatalogDir);
  await using ours = await startOurs(corpusCatalogDir);
  const questions = await questionsOf(corpusCatalogDir);
  const expected = await askAll(theirs.port, questions);
  const found = await askAll(ours.port, questions);
  const differing = questions.flatMap((question, index) =>
    expected[index] === found[index] ? [] : [{ question, index }],
  );
  for (const { question, index } of differing.slice(0, maxShown)) {
    const shown = (text = ''): string => text.slice(0, maxShownLength);
    console.log(`\n# ${question.method} ${JSON.stringify(question.request)}`);
    console.log(`opm:       ${shown(expected[index])}\nLongshore: ${shown(found[index])}`);
  }
  console.log(`${questions.length} questions to opm ${opmVersion}, ${differing.length} answers differ`);
  if (values.record) await writeRecording(recordingOf(questions, expected));
  else if (differing.length > 0) process.exitCode = 1;
}

await main();
