import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull, TerminalError, writeSecretFile } from '../src/base/index.ts';
import { uploadsFolder } from '../src/content/index.ts';
import type { KubeClient } from '../src/kube/index.ts';

async function ifThere<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** One that a full disk has no room for is noted at a later start. */
async function note(path: string, id: string): Promise<void> {
  try {
    await writeSecretFile(path, id);
  } catch (thrown) {
    if (!(thrown instanceof Error && isDiskFull(thrown.cause))) throw thrown;
  }
}

/** Notes in a content store the cluster that its uploads are for. Uploads without a Bundle are deleted, and nothing else has them: on another cluster, such
 *  as with a volume that was moved, or on an empty one after the objects were lost, that would be all of them.
 *  @throws TerminalError UploadsOfAnotherCluster */
export async function claimUploads(kube: Pick<KubeClient, 'get'>, storeDir: string): Promise<void> {
  const path = join(storeDir, 'cluster');
  // Every cluster has this namespace for as long as it lives.
  const { metadata } = await kube.get({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' });
  const now = metadata.uid ?? '';
  const before = (await ifThere(readFile(path, 'utf8'))) ?? '';
  if (before === now) return;
  const uploads = (await ifThere(readdir(uploadsFolder(storeDir)))) ?? [];
  if (before !== '' && uploads.length > 0) {
    const text = `${uploadsFolder(storeDir)}: uploads (${uploads.length}) are of another cluster (namespace kube-system with uid ${before}, not ${now}) and would be deleted`;
    const advice = `restore the objects of that cluster from a copy, or start with another folder, or delete ${path} if the uploads are not needed`;
    throw new TerminalError('UploadsOfAnotherCluster', `${text}; ${advice}`);
  }
  await note(path, now);
}
