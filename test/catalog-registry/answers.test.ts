import { expect, test } from 'vitest';
import { corpusCatalogDir } from '../support/corpus.ts';
import { askAll, type Recording, readRecording, recordingOf } from './answers.ts';
import { startOurs } from './ours.ts';
import { questionsOf } from './questions.ts';

/** Every so many packages; `npm run conformance:catalog-registry` asks about all. */
const sampled = 32;

function only(recording: Recording, names: ReadonlySet<string>): Recording {
  const methods = Object.entries(recording).map(([method, packages]) => {
    const found = Object.entries(packages).filter(([name]) => name === '(all)' || names.has(name));
    return [method, Object.fromEntries(found)] as const;
  });
  return Object.fromEntries(methods);
}

test.skipIf(corpusCatalogDir === undefined)(
  'CR-C13, CR-C14, CR-C15, CR-C16 every method answers about real catalogs what opm answers',
  async () => {
    const dir = corpusCatalogDir ?? '';
    const recorded = await readRecording();
    const names = Object.keys(recorded['GetPackage'] ?? {}).filter((_, index) => index % sampled === 0);
    const chosen = new Set(names);
    const questions = (await questionsOf(dir)).filter(({ packageName: name }) => name === '' || chosen.has(name));
    expect(questions.length).toBeGreaterThan(50);
    await using registry = await startOurs(dir);
    const answers = await askAll(registry.port, questions);
    expect(recordingOf(questions, answers)).toEqual(only(recorded, chosen));
  },
);
