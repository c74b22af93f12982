import { readFile, writeFile } from 'node:fs/promises';

/** What was recorded, by the ids of scenarios. */
type RecordingsBy<R> = Readonly<Record<string, R>>;

interface AnyRecording {
  readonly title: string;
  readonly snapshots: readonly { readonly objects: Readonly<Record<string, unknown>> }[];
}

/** Recordings of a reference implementation in a file; empty when nothing was recorded yet. */
export async function readRecordingsAt<R extends AnyRecording>(path: string): Promise<RecordingsBy<R>> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as RecordingsBy<R>;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw thrown;
  }
}

/** A line for each object, so that a change of a recording is readable. */
function formatSnapshot(snapshot: AnyRecording['snapshots'][number]): string {
  const members = Object.entries(snapshot).map(([name, value]) => {
    if (name !== 'objects') return `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    const objects = Object.entries(value).map(
      ([key, object]) => `     ${JSON.stringify(key)}: ${JSON.stringify(object)}`,
    );
    return `    "objects": {\n${objects.join(',\n')}}`;
  });
  return `   {\n${members.join(',\n')}}`;
}

function formatRecording([id, { title, snapshots }]: readonly [string, AnyRecording]): string {
  const shown = snapshots.map(formatSnapshot).join(',\n');
  return ` ${JSON.stringify(id)}: {\n  "title": ${JSON.stringify(title)},\n  "snapshots": [\n${shown}]}`;
}

/** Writes recordings in the order of their ids. */
export async function writeRecordingsAt(path: string, recordings: RecordingsBy<AnyRecording>): Promise<void> {
  const sorted = Object.entries(recordings).toSorted(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(path, `{\n${sorted.map(formatRecording).join(',\n')}\n}\n`);
}
