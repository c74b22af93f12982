import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { findGoPrograms, type GoProject, type NoPrograms, runTool } from '../support/go-programs.ts';

const moduleName = 'github.com/operator-framework/operator-registry';

/** The release of opm that is compared with. */
export const opmVersion = 'v1.73.0';

/** A copy of the module's folder in Go's read-only cache. */
async function download(source: string, work: string): Promise<void> {
  const printed = await runTool('go', ['mod', 'download', '-json', `${moduleName}@${opmVersion}`], work);
  await cp((JSON.parse(printed) as { Dir: string }).Dir, source, { recursive: true });
  await runTool('chmod', ['-R', 'u+w', source], work);
}

const project: GoProject = {
  name: 'opm',
  version: opmVersion,
  programs: ['opm'],
  download,
  adapt: () => Promise.resolve(),
  buildArguments: ['-mod=mod', '-tags', 'json1,containers_image_openpgp,exclude_graphdriver_btrfs'],
  copyCrds: async (_source, target) => {
    await mkdir(target);
  },
  command: 'npm run conformance:catalog-registry',
};

/** The path of opm: from the cache, or built once with the Go toolchain. */
export async function findOpm(report: (line: string) => void): Promise<{ readonly path: string } | NoPrograms> {
  const found = await findGoPrograms(project, { mayBuild: true, report });
  return 'missing' in found ? found : { path: found.pathOf('opm') };
}

/** `opm serve` of a folder. */
export async function startOpm(path: string, catalogDir: string): Promise<{ readonly port: number } & AsyncDisposable> {
  const work = await mkdtemp(join(tmpdir(), 'opm-'));
  const port = await freePort();
  const args = [
    'serve',
    catalogDir,
    '--port',
    String(port),
    '--cache-dir',
    join(work, 'cache'),
    '--cache-enforce-integrity=false',
  ];
  const child = spawn(path, [...args, '--termination-log', join(work, 'end')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exit = once(child, 'exit');
  const ready = new Promise<void>((resolve, reject) => {
    let printed = '';
    child.stderr.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-4000);
      if (printed.includes('serving registry')) resolve();
    });
    child.once('exit', () => reject(new Error(`opm serve ended: ${printed}`)));
  });
  await ready;
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await exit;
      await rm(work, { recursive: true, force: true });
    },
  };
}
