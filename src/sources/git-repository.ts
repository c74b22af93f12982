import fs from 'node:fs';
import { posix } from 'node:path';
import { redactUrl, TerminalError } from '../base/index.ts';
import type { LayerWriter, Staging } from '../content/index.ts';
import type { GitSourceSpec } from './source.ts';

type Git = typeof import('isomorphic-git');

/** A bare repository on disk that holds what was fetched. */
export interface Repository {
  readonly git: Git;
  readonly gitdir: string;
  /** isomorphic-git keeps parsed packs here for the time of one fetch. */
  readonly cache: object;
}

/** The folder that becomes the bundle's root, as segments; none is the repository's own root.
 *  @throws TerminalError InvalidSource */
export function directorySegments(spec: GitSourceSpec): readonly string[] {
  if (spec.directory === undefined || spec.directory === '') return [];
  const cleaned = posix.normalize(spec.directory);
  if (cleaned === '..' || cleaned.startsWith('../') || cleaned.startsWith('/')) {
    throw directoryError(spec, "directory can not start with '../' or '/'");
  }
  return cleaned.split('/').filter((segment) => segment !== '' && segment !== '.');
}

function directoryError(spec: GitSourceSpec, text: string): TerminalError {
  const where = `get subdirectory "${spec.directory ?? ''}" for repository "${redactUrl(spec.repository)}"`;
  return new TerminalError('InvalidSource', `${where}: ${text}`);
}

type Tree = Awaited<ReturnType<Git['readTree']>>['tree'];

async function readTree({ git, gitdir, cache }: Repository, oid: string): Promise<Tree> {
  return (await git.readTree({ fs, gitdir, cache, oid })).tree;
}

interface Checkout {
  readonly repository: Repository;
  readonly staging: Staging;
  readonly layer: LayerWriter;
}

/** Puts the files of a commit into the staging area: regular files only, links dropped, submodules ignored.
 *  @throws TerminalError InvalidSource when the wanted directory is not there, and the staging area's limits */
export async function checkOut(
  repository: Repository,
  wanted: { readonly spec: GitSourceSpec; readonly oid: string },
  staging: Staging,
): Promise<void> {
  const what = `${redactUrl(wanted.spec.repository)} at ${wanted.oid}`;
  let tree = await readTree(repository, wanted.oid);
  for (const segment of directorySegments(wanted.spec)) {
    const next = tree.find((entry) => entry.path === segment && entry.type === 'tree');
    if (next === undefined) throw directoryError(wanted.spec, 'directory does not exist');
    tree = await readTree(repository, next.oid);
  }
  await addTree({ repository, staging, layer: staging.beginLayer(what) }, '', tree);
}

/** Depth is bounded by the path limit, which is checked before anything below is read. */
async function addTree(checkout: Checkout, parent: string, tree: Tree): Promise<void> {
  const { git, gitdir, cache } = checkout.repository;
  for (const entry of tree) {
    const path = parent === '' ? entry.path : `${parent}/${entry.path}`;
    if (entry.type === 'tree') {
      checkout.layer.addDirectory(path);
      await addTree(checkout, path, await readTree(checkout.repository, entry.oid));
    } else if (entry.type === 'blob' && entry.mode !== '120000') {
      const { blob } = await git.readBlob({ fs, gitdir, cache, oid: entry.oid });
      checkout.layer.addFile(path, { sizeBytes: blob.length, isExecutable: entry.mode === '100755' })(blob);
      await checkout.layer.relieve();
    }
  }
}
