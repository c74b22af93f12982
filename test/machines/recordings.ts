import { join } from 'node:path';
import { readRecordingsAt, writeRecordingsAt } from '../support/recordings.ts';
import type { Recording, Recordings } from './scenario.ts';

const seenFolder = join(import.meta.dirname, 'seen');

/** What the real controllers showed in the scenarios of an area; empty when it was never recorded. */
export async function readRecordings(area: string, folder: string = seenFolder): Promise<Recordings> {
  return await readRecordingsAt<Recording>(join(folder, `${area}.json`));
}

/** Writes the recordings of an area. */
export async function writeRecordings(
  area: string,
  recordings: Recordings,
  folder: string = seenFolder,
): Promise<void> {
  await writeRecordingsAt(join(folder, `${area}.json`), recordings);
}
