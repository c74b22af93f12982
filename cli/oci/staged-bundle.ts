import { existsSync } from 'node:fs';
import { extractArchive, type Staging } from '../../src/content/index.ts';
import type { OptionValues } from '../options.ts';
import type { Progress } from '../progress.ts';
import { openLayout, pathKind } from './layout.ts';
import { pullInto } from './registry.ts';
import { openStaging, stageFiles, type WorkFolder } from './work-folder.ts';

/** What a bundle is asked for by, and what it takes to get it. */
export interface BundleWish {
  /** A folder, an OCI image layout (a folder or a tar), or the reference of an image or artifact. */
  readonly name: string;
  /** Those of `registryOptions`. */
  readonly values: OptionValues;
  readonly work: WorkFolder;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** The files of a bundle. Dispose of `staging` before the work folder goes. */
export interface StagedBundle {
  readonly staging: Staging;
  /** Of the image; undefined for a folder of files. */
  readonly digest: string | undefined;
}

async function extractLayers(wish: BundleWish, staging: Staging): Promise<string> {
  const { name, work, signal } = wish;
  await using layout = await openLayout(name, { spoolPath: `${work.path}/layout`, signal });
  const [, ...layers] = layout.image.blobs;
  for (const layer of layers) {
    await extractArchive(layer.open(), staging, { what: `${name}, layer ${layer.digest}`, hasWhiteouts: true, signal });
  }
  staging.assertLinksInside(name);
  return layout.image.digest;
}

/** What exists is a path, and so is what looks like nothing else; the rest is a reference. */
function isReference(name: string): boolean {
  return !existsSync(name) && !/^[./~]|\/$/.test(name);
}

/** Brings the files of a bundle together, wherever they are; one bundle a work folder.
 *  @throws TerminalError and TransientError, naming what could not be had */
export async function stageBundle(wish: BundleWish): Promise<StagedBundle> {
  const { name, work, signal } = wish;
  const isImage = isReference(name);
  if (!isImage && (await pathKind(name)) === 'folder') {
    return { staging: await stageFiles(name, work, signal), digest: undefined };
  }
  const staging = await openStaging(work);
  try {
    const digest = isImage ? await pullInto(staging, name, wish) : await extractLayers(wish, staging);
    return { staging, digest };
  } catch (thrown) {
    await staging[Symbol.asyncDispose]();
    throw thrown;
  }
}
