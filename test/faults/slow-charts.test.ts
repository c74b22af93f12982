import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { helloWorld, packedChart } from '../e2e/charts.ts';
import { configMap } from '../e2e/contents.ts';
import { bundleDeployment, startWorld } from '../e2e/world.ts';
import { eventually, startWebServer } from '../support/index.ts';

const asTest = { fieldManager: 'test' };
const installed = { type: 'Installed', status: 'True' };
const helmClasses = { provisionerClassName: 'core-rukpak-io-helm', templateClassName: 'core-rukpak-io-helm' };
const workers = 4;

/** Notes each run that renders, and does not end before there is a file `end`. */
function slowHelm(folder: string): string {
  return `#!/bin/sh
[ "$1" = version ] && { printf v3.19.2; exit 0; }
: > "${folder}/runs/$$"
while [ ! -e "${folder}/end" ]; do /bin/sleep 0.1; done
echo "{apiVersion: v1, kind: ConfigMap, metadata: {name: of-chart-$$, namespace: default}}"
`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Of runs that render: one that takes long may be ended for another. */
async function aliveCount(folder: string): Promise<number> {
  return (await readdir(join(folder, 'runs'))).filter((pid) => isAlive(Number(pid))).length;
}

test('charts that take long to render do not hold up deployments without charts', { tags: 'long' }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-slow-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const helm = join(folder, 'helm');
  await writeFile(helm, slowHelm(folder), { mode: 0o755 });
  await mkdir(join(folder, 'runs'));
  const world = stack.use(await startWorld(['--helm', helm, '--workers', String(workers)]));
  const packed = packedChart('hello-world', helloWorld());
  const web = stack.use(await startWebServer((_, response) => response.end(packed), world.tls));
  const names = Array.from({ length: workers + 2 }, (_, index) => `slow-${index}`);
  for (const name of names) {
    const source = { type: 'http', http: { url: `${web.url}/${name}.tgz` } };
    await world.kube.create(bundleDeployment(name, source, helmClasses), asTest);
  }
  await eventually(async () => expect(await aliveCount(folder)).toBe(2));
  const source = world.imageSource('plain:v1', { 'manifests/a.yaml': configMap('of-no-chart', 'default', {}) });
  await world.kube.create(bundleDeployment('plain', source), asTest);
  await world.deploymentWith('plain', installed);
  expect(await aliveCount(folder)).toBeLessThanOrEqual(2);
  await writeFile(join(folder, 'end'), '');
  for (const name of names) await world.deploymentWith(name, installed);
});
