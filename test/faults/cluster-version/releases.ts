import { join } from 'node:path';
import type { JsonObject } from '../../../src/base/index.ts';
import { hasCorpus } from '../../support/index.ts';
import { prepareRealRelease, releaseAnnotation, writeRealRelease } from '../../support/real-release.ts';
import { operatorManifest } from '../../support/release-cluster.ts';
import { writeRelease } from '../../support/release-files.ts';
import { settings } from '../../support/small-release.ts';
import type { KillableReleases } from './kill-run.ts';

const levels = { '10': ['alpha', 'beta'], '20': ['gamma', 'delta'] };
const settingsOfEach = 8;

/** Four components at two levels, some forty objects. */
function smallManifests(version: string): Record<string, JsonObject> {
  const annotations = { [releaseAnnotation]: version };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quay', annotations } };
  const all: Record<string, JsonObject> = { '0000_05_quay_00_namespace.yaml': namespace };
  for (const [level, names] of Object.entries(levels)) {
    for (const name of names) {
      for (let number = 0; number < settingsOfEach; number += 1) {
        all[`0000_${level}_${name}_1${number}_settings.yaml`] = settings(`${name}-${number}`, version, { annotations });
      }
      all[`0000_${level}_${name}_90_operator.yaml`] = operatorManifest(name, version);
    }
  }
  return all;
}

async function writeAll(
  versions: readonly string[],
  write: (version: string) => Promise<string>,
): Promise<KillableReleases['folders']> {
  const folders: Record<string, string> = {};
  for (const version of versions) folders[version] = await write(version);
  return folders;
}

/** Of four components of ConfigMaps. */
export async function smallReleases(folder: string, versions: readonly string[]): Promise<KillableReleases> {
  const write = (version: string): Promise<string> =>
    writeRelease(join(folder, version), { version, manifests: smallManifests(version) });
  return { folders: await writeAll(versions, write) };
}

/** Of the ten real components; of small ones without the corpus. */
export async function realReleases(folder: string, versions: readonly string[]): Promise<KillableReleases> {
  if (!hasCorpus) return await smallReleases(folder, versions);
  const write = (version: string): Promise<string> => writeRealRelease(join(folder, version), version);
  return { folders: await writeAll(versions, write), prepare: prepareRealRelease };
}
