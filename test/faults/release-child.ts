/** Reads releases and a graph of updates as the update engine does, one after the other, and prints what became of each, and the most memory that this
 *  process had. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { errorMessage } from '../../src/base/index.ts';
import { retrieveUpdates } from '../../src/cluster-version/available-updates/retrieval.ts';
import { localSource } from '../../src/cluster-version/payload/release-sources.ts';
import { retrieveRelease } from '../../src/cluster-version/payload/retrieve.ts';
import { createHttpClient } from '../../src/sources/index.ts';
import type { ChildReport } from './memory-child.ts';
import { measurePeaks } from './peak-usage.ts';

interface Task {
  readonly folders: readonly string[];
  readonly graphUrls: readonly string[];
}

const { folders, graphUrls } = JSON.parse(process.argv[2] ?? '') as Task;
const workDir = await mkdtemp(`${tmpdir()}/release-child-`);
const stop = measurePeaks(workDir);
const { signal } = new AbortController();
const sources = [localSource(new Map(folders.map((folder) => [folder, folder])))];
const query = {
  clusterId: 'b3f4ad8a-5d6e-4c49-9c31-3ed1b2a7d5a1',
  channel: 'stable',
  version: '1.0.0',
  architecture: { current: 'amd64', desired: 'amd64' },
};

async function readRelease(folder: string): Promise<string> {
  await using staged = await retrieveRelease(
    { version: '', image: folder },
    { sources, workDir, clusterProfile: 'default' },
    signal,
  );
  await staged.read(signal);
  return 'read';
}

const outcomes: string[] = [];
for (const folder of folders) outcomes.push(`${basename(folder)}: ${await readRelease(folder).catch(errorMessage)}`);
const http = createHttpClient({ answerDeadlineMs: 60_000 });
for (const service of graphUrls) {
  const { status, message } = await retrieveUpdates({ ...query, service }, http, { userAgent: 'test', signal });
  outcomes.push(`${new URL(service).pathname.slice(1)}: ${status} ${message}`);
}
http[Symbol.dispose]();
const peaks = stop();
await rm(workDir, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ outcomes, ...peaks } satisfies ChildReport));
