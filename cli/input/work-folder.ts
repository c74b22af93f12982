import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContentLimits, defaultContentLimits } from '../../src/base/index.ts';
import type { Staging } from '../../src/content/index.ts';

/** A temporary folder that goes when it is disposed. */
export interface WorkFolder extends AsyncDisposable {
  readonly path: string;
}

export async function openWorkFolder(): Promise<WorkFolder> {
  const path = await mkdtemp(join(tmpdir(), 'longshore-bundle-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** An empty staging area in the work folder, with the limits of the provisioners unless others are given. */
export async function openStaging(
  work: WorkFolder,
  name = 'spool',
  limits: ContentLimits = defaultContentLimits,
): Promise<Staging> {
  const content = await import('../../src/content/index.ts');
  return await content.Staging.create(join(work.path, name), limits);
}

/** A staging area in the work folder that `fill` has filled; closed where that fails. */
export async function openFilledStaging(
  work: WorkFolder,
  fill: (staging: Staging) => Promise<unknown>,
): Promise<Staging> {
  const staging = await openStaging(work);
  try {
    await fill(staging);
    return staging;
  } catch (thrown) {
    await staging[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** The files of a folder, staged. */
export async function stageFiles(folder: string, work: WorkFolder, signal: AbortSignal): Promise<Staging> {
  const { stageFolder } = await import('../../src/content/index.ts');
  return await openFilledStaging(work, (staging) => stageFolder(folder, staging, { signal }));
}
