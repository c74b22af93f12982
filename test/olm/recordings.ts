import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Recording, Recordings, Snapshot } from './scenario.ts';

const seenFolder = join(import.meta.dirname, 'seen');

/** What the real OLM showed in the scenarios of an area; empty when it was never recorded. */
export async function readRecordings(area: string, folder: string = seenFolder): Promise<Recordings> {
  try {
    return JSON.parse(await readFile(join(folder, `${area}.json`), 'utf8')) as Recordings;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw thrown;
  }
}

/** A line for each object, so that a change of a recording is readable. */
function formatSnapshot(snapshot: Snapshot): string {
  const members = Object.entries(snapshot).map(([name, value]) => {
    if (name !== 'objects') return `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    const objects = Object.entries(value as Snapshot['objects']).map(
      ([key, object]) => `     ${JSON.stringify(key)}: ${JSON.stringify(object)}`,
    );
    return `    "objects": {\n${objects.join(',\n')}}`;
  });
  return `   {\n${members.join(',\n')}}`;
}

function formatRecording([id, { title, snapshots }]: readonly [string, Recording]): string {
  const shown = snapshots.map(formatSnapshot).join(',\n');
  return ` ${JSON.stringify(id)}: {\n  "title": ${JSON.stringify(title)},\n  "snapshots": [\n${shown}]}`;
}

/** Writes the recordings of an area in the order of their ids. */
export async function writeRecordings(
  area: string,
  recordings: Recordings,
  folder: string = seenFolder,
): Promise<void> {
  const sorted = Object.entries(recordings).toSorted(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(join(folder, `${area}.json`), `{\n${sorted.map(formatRecording).join(',\n')}\n}\n`);
}
