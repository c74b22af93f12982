import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  isJsonObject,
  type JsonObject,
  parseJson,
  parseYaml,
  TerminalError,
  withDeadline,
} from '../../src/base/index.ts';
import { type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';

const establishDeadlineMs = 60_000;
const pollMs = 50;

/** The folder of our CustomResourceDefinitions: beside `cli/` in a checkout and in `dist/`. */
function crdFolder(): string {
  const folder = fileURLToPath(new URL('../../crds', import.meta.url));
  if (existsSync(folder)) return folder;
  throw new TerminalError(
    'CrdsMissing',
    `${folder}: the CustomResourceDefinitions are not there; install longshore again`,
  );
}

/** Our CustomResourceDefinitions; those of Operator Lifecycle Manager are separate. */
export async function readCrds(): Promise<JsonObject[]> {
  return await readFolder(crdFolder());
}

/** The CustomResourceDefinitions of Operator Lifecycle Manager. */
export async function readOlmCrds(): Promise<JsonObject[]> {
  return await readFolder(join(crdFolder(), 'olm'));
}

/** The CustomResourceDefinitions of cluster updates. */
export async function readClusterVersionCrds(): Promise<JsonObject[]> {
  return await readFolder(join(crdFolder(), 'cluster-version'));
}

/** The CustomResourceDefinitions of machines. */
export async function readMachineCrds(): Promise<JsonObject[]> {
  return await readFolder(join(crdFolder(), 'machines'));
}

/** YAML in a checkout, JSON in `dist/`. */
async function readFolder(folder: string): Promise<JsonObject[]> {
  const files = globSync('*.{json,yaml}', { cwd: folder }).sort();
  return await Promise.all(files.map((file) => readDefinition(join(folder, file))));
}

async function readDefinition(path: string): Promise<JsonObject> {
  const text = await readFile(path, 'utf8');
  return (path.endsWith('.json') ? parseJson(path, text) : parseYaml(path, text)) as JsonObject;
}

function isEstablished(crd: KubeObject): boolean {
  const status = crd['status'];
  const conditions = isJsonObject(status) && Array.isArray(status['conditions']) ? status['conditions'] : [];
  return conditions.some((one) => isJsonObject(one) && one['type'] === 'Established' && one['status'] === 'True');
}

/** Resolves when the CustomResourceDefinitions are served.
 *  @throws the deadline's error after a minute */
export async function untilEstablished(kube: KubeClient, crds: readonly KubeObject[]): Promise<void> {
  const what = 'waiting until the CustomResourceDefinitions are established';
  await withDeadline(what, { deadlineMs: establishDeadlineMs }, async (signal) => {
    for (const crd of crds) {
      while (!isEstablished(await kube.get(refOf(crd), { signal }))) await pause(pollMs, undefined, { signal });
    }
  });
}
