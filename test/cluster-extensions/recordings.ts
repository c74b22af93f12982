import { join } from 'node:path';
import { readRecordingsAt, writeRecordingsAt } from '../support/recordings.ts';
import type { Recording, Recordings } from './scenario.ts';

const seenFolder = join(import.meta.dirname, 'seen');

/** What the real programs showed in the scenarios of an area; empty when it was never recorded. */
export async function readRecordings(area: string): Promise<Recordings> {
  return await readRecordingsAt<Recording>(join(seenFolder, `${area}.json`));
}

/** Writes the recordings of an area. */
export async function writeRecordings(area: string, recordings: Recordings): Promise<void> {
  await writeRecordingsAt(join(seenFolder, `${area}.json`), recordings);
}
