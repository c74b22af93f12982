import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ContentLimits, defaultContentLimits, TransientError } from '../../base/index.ts';
import { Staging } from '../../content/index.ts';
import { type ReleasePayload, readPayloadFiles } from '../../release/index.ts';
import { readInThread } from './payload-thread.ts';
import type { ReleaseName, ReleaseSource } from './release-sources.ts';

/** A release is some thousand manifests; two directories of it are read. */
const limits: ContentLimits = { ...defaultContentLimits, entries: 20_000 };

/** How releases are retrieved. */
export interface Retrieval {
  /** Asked in this order. */
  readonly sources: readonly ReleaseSource[];
  /** For temporary files. */
  readonly workDir: string;
  readonly clusterProfile: string;
}

async function stageFrom(sources: readonly ReleaseSource[], release: ReleaseName, target: Target): Promise<boolean> {
  for (const source of sources) if (await source.stage(release, target.staging, target.signal)) return true;
  return false;
}

interface Target {
  readonly staging: Staging;
  readonly signal: AbortSignal;
}

/** Retrieves a release and reads it. Nothing of it is left on disk.
 *  @throws TerminalError InvalidRelease and those of archives · TransientError ReleaseNotFound and those of the sources */
export async function retrieveRelease(
  release: ReleaseName,
  retrieval: Retrieval,
  signal: AbortSignal,
): Promise<StagedRelease> {
  const { image } = release;
  const { sources, workDir } = retrieval;
  await mkdir(workDir, { recursive: true, mode: 0o700 });
  const staging = await Staging.create(join(workDir, `${randomUUID()}.spool`), limits);
  await using stack = new AsyncDisposableStack();
  stack.use(staging);
  if (!(await stageFrom(sources, release, { staging, signal }))) {
    const text = `no source has ${image}; offer it from a folder with --release-image, or from a registry`;
    throw new TransientError('ReleaseNotFound', text);
  }
  const owned = stack.move();
  return {
    read: async (reading) => {
      const files = await readPayloadFiles(staging);
      return await readInThread(files, { releaseImage: image, clusterProfile: retrieval.clusterProfile }, reading);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A release that was retrieved. */
export interface StagedRelease extends AsyncDisposable {
  /** @throws TerminalError InvalidRelease · TransientError ReaderEnded */
  read(signal: AbortSignal): Promise<ReleasePayload>;
}
