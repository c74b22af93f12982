/** RukPak, the program that BundleDeployments come from, built from its Go module and run outside of a cluster. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  findGoPrograms,
  type GoPrograms,
  type GoProject,
  type NoPrograms,
  runTool,
} from '../test/support/go-programs.ts';
import { eventually, freePort } from '../test/support/index.ts';

const moduleName = 'github.com/operator-framework/rukpak';

/** The last release with Bundle and BundleDeployment as two kinds. */
export const rukpakVersion = 'v0.16.0';

/** Where its releases of charts and its Secrets are. */
export const rukpakNamespace = 'rukpak-system';

/** Of the module, as in a go.sum: Go then asks no other service. */
const checksums = [
  `${moduleName} ${rukpakVersion} h1:d6iI7lYJbR5fHqw3vnAudB5SevAQ2dnQI7C6iOZyXJU=`,
  `${moduleName} ${rukpakVersion}/go.mod h1:k3Nbp5eGqTI+QvXgPuOWOSV24AJ6waPDPzD+AH5OyDA=`,
];

/** A copy of the module's folder in Go's read-only cache. */
async function download(source: string, work: string): Promise<void> {
  await writeFile(join(work, 'go.mod'), 'module bench\n\ngo 1.20\n');
  await writeFile(join(work, 'go.sum'), `${checksums.join('\n')}\n`);
  const printed = await runTool('go', ['mod', 'download', '-json', `${moduleName}@${rukpakVersion}`], work);
  await cp((JSON.parse(printed) as { Dir: string }).Dir, source, { recursive: true });
  await runTool('chmod', ['-R', 'u+w', source], work);
}

async function copyCrds(source: string, target: string): Promise<void> {
  await mkdir(target);
  for (const name of ['core.rukpak.io_bundles.yaml', 'core.rukpak.io_bundledeployments.yaml']) {
    await cp(join(source, 'manifests/base/apis/crds', name), join(target, name));
  }
}

const project: GoProject = {
  name: 'rukpak',
  version: rukpakVersion,
  programs: ['core'],
  download,
  adapt: () => Promise.resolve(),
  buildArguments: ['-tags', 'containers_image_openpgp'],
  copyCrds,
  command: 'npm run bench -- rukpak',
};

/** The program: from the cache, or built once with the Go toolchain. */
export async function findRukpak(): Promise<GoPrograms | NoPrograms> {
  return await findGoPrograms(project, { mayBuild: true, report: console.log });
}

/** RukPak's `core`, running. */
export interface RunningRukpak extends AsyncDisposable {
  readonly pid: number;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Starts the manager with the options of its manifests but two. It serves contents without the proxy that checks permissions, and no uploads: it reads
 *  them from its own disk. Its webhooks, a program of their own, and its provisioner of charts are left out, which only makes it faster. Returns when it is
 *  ready. */
export async function startRukpak(
  { pathOf }: GoPrograms,
  { folder, kubeconfigPath }: { readonly folder: string; readonly kubeconfigPath: string },
): Promise<RunningRukpak> {
  const contents = `127.0.0.1:${await freePort()}`;
  const probes = `127.0.0.1:${await freePort()}`;
  const args = [
    '--system-namespace',
    rukpakNamespace,
    `--http-bind-address=${contents}`,
    `--http-external-address=http://${contents}`,
    `--health-probe-bind-address=${probes}`,
    `--provisioner-storage-dir=${join(folder, 'bundles')}`,
    `--upload-storage-dir=${join(folder, 'uploads')}`,
    '--feature-gates=BundleDeploymentHealth=true',
  ];
  for (const name of ['bundles', 'uploads']) await mkdir(join(folder, name));
  const logPath = join(folder, 'rukpak.log');
  await using log = await open(logPath, 'a');
  await using stack = new AsyncDisposableStack();
  const child = spawn(pathOf('core'), args, {
    cwd: folder,
    env: { ...process.env, KUBECONFIG: kubeconfigPath, HOME: folder },
    stdio: ['ignore', log.fd, log.fd],
  });
  stack.defer(() => stop(child));
  await once(child, 'spawn');
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`RukPak ended: ${(await readFile(logPath, 'utf8')).slice(-1500)}`);
    await fetch(`http://${probes}/readyz`);
  });
  const owned = stack.move();
  return { pid: child.pid ?? 0, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
