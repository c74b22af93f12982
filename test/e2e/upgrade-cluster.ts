import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { startApiServer } from '../../apiserver/index.ts';
import { readClusterVersionCrds, untilEstablished } from '../../cli/client/index.ts';
import { type JsonObject, systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeClient, type KubeObject, loadClusterAccess } from '../../src/kube/index.ts';
import { longshoreOn, type Printed, type ProgramOptions } from './program.ts';
import { situations, type UpdateSituation } from './update-situations.ts';

/** The ClusterVersion. */
export const ref = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', name: 'version' };
/** Set by the hooks below, as are the others that change: the test files of a worker run one after the other. */
export let kube: KubeClient;
export let kubeconfigPath = '';
/** Runs `longshore upgrade` with these arguments. */
export let upgrade: (args?: string, options?: ProgramOptions) => Promise<Printed>;
let stop: () => Promise<void>;

/** A situation of a cluster by its name. */
export const situation = (name: string): UpdateSituation => situations[name] ?? expect.fail(`no situation ${name}`);
/** What is requested of the cluster. */
export const desiredUpdate = async (): Promise<unknown> =>
  (((await kube.get(ref))['spec'] ?? {}) as JsonObject)['desiredUpdate'];
/** What the kind stores beside what was requested. */
export const channelLine = 'Channel: stable-4.14 (available channels: candidate-4.14, fast-4.14, stable-4.14)\n';
/** What is printed of a cluster that names no server of updates. */
export const defaultUpstream = 'Upstream is unset, so the cluster will use an appropriate default.\n';

/** Opens a cluster with the kinds of cluster updates, on which nothing runs, for the tests of a file. */
export function openUpgradeCluster(): void {
  beforeAll(async () => {
    const server = await startApiServer({ simulation: false });
    kube = createKubeClient({ access: await loadClusterAccess({ text: server.kubeconfig }), clock: systemClock });
    const crds = (await readClusterVersionCrds()) as unknown as KubeObject[];
    for (const crd of crds) await kube.create(crd, { fieldManager: 'test' });
    await untilEstablished(kube, crds);
    const dir = await mkdtemp(join(tmpdir(), 'longshore-upgrade-test-'));
    kubeconfigPath = join(dir, 'kubeconfig');
    await writeFile(kubeconfigPath, server.kubeconfig);
    const run = longshoreOn(kubeconfigPath);
    upgrade = (args = '', options = {}) => run(['upgrade', ...args.split(' ').filter((word) => word !== '')], options);
    stop = async () => {
      kube.close();
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    };
  });
  afterAll(() => stop());
}
