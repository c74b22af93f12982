import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApiServer } from '../apiserver/index.ts';
import { silentLogger, systemClock } from '../src/base/index.ts';
import { createKubeClient, loadClusterAccess } from '../src/kube/index.ts';
import { readConfig, upOptions } from './config.ts';
import { parseOptions } from './options.ts';
import { startPlatform } from './platform.ts';

test('a mistake in a settings file leaves no webhook on the cluster that nobody answers for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-platform-'));
  const path = join(folder, 'kubeconfig');
  try {
    await using _server = await startApiServer({ simulation: false, kubeconfigPath: path });
    const args = ['--cluster', path, '--image-policy', join(folder, 'absent.yaml')];
    const config = readConfig(parseOptions(upOptions, args, {}).values);
    await expect(startPlatform(config, { log: silentLogger() })).rejects.toThrow('--image-policy');
    const kube = createKubeClient({ access: await loadClusterAccess({ path }), clock: systemClock });
    const kind = 'ValidatingWebhookConfiguration';
    expect((await kube.list({ apiVersion: 'admissionregistration.k8s.io/v1', kind })).items).toEqual([]);
    kube.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
