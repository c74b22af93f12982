import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type OwnProcesses, openOwnProcesses, renew } from '../e2e/own-processes.ts';
import { programPath, runProgram } from '../e2e/program.ts';

async function argumentsFor({ folder, kubeconfig }: OwnProcesses, storeDir: string): Promise<readonly string[]> {
  const tlsDir = join(folder, 'tls');
  await renew(tlsDir);
  const ports = ['http', 'catalogs', 'health-probe'].flatMap((name) => [`--${name}-bind-address`, '127.0.0.1:0']);
  const files = ['--kubeconfig', kubeconfig, '--tls-dir', tlsDir, '--provisioner-storage-dir', storeDir];
  return [programPath, 'controllers', ...files, ...ports, '--log-level', 'error'];
}

test('uploads on a volume that is moved to another cluster are not deleted, by one that leads or stands by, unless they are given up', async () => {
  await using former = await openOwnProcesses();
  await using other = await openOwnProcesses();
  const storeDir = join(former.folder, 'bundles');
  const uploads = join(storeDir, 'uploads');
  const listen = ['--http-bind-address', '127.0.0.1:0', '--provisioner-storage-dir', storeDir];
  const first = await former.start('controllers', listen);
  first.child.kill('SIGKILL');
  await mkdir(uploads, { recursive: true });
  await writeFile(join(uploads, 'mine_0000.tgz'), 'the only copy');
  const args = await argumentsFor(other, storeDir);
  for (const role of [[], ['--leader-elect']]) {
    const { code, stderr } = await runProgram(process.execPath, [...args, ...role], { timeoutMs: 20_000 });
    expect(await readdir(uploads)).toEqual(['mine_0000.tgz']);
    expect(code).toBe(1);
    expect(stderr).toContain('uploads (1) are of another cluster');
  }
  await rm(join(storeDir, 'cluster'));
  await other.start('controllers', listen);
  expect(await readdir(uploads)).toEqual([]);
});
