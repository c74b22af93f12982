import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/index.ts';
import { createKubeClient, loadClusterAccess } from '../src/kube/index.ts';
import { startChild } from './child.ts';
import { compileFiles } from './compiled.ts';
import { type Measurement, median } from './table.ts';

const runs = 9;
const root = join(import.meta.dirname, '..');
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;

/** Bytes of all files below a folder; those with several names count once. */
function sizeOf(folder: string, counted: Set<number> = new Set()): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.name === '.cache') return sum;
    if (entry.isDirectory()) return sum + sizeOf(path, counted);
    const { ino, size } = lstatSync(path);
    if (counted.has(ino)) return sum;
    counted.add(ino);
    return sum + size;
  }, 0);
}

/** Bytes of the archive that is published. */
function packageBytes(): number {
  execFileSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'ignore' });
  const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [packed] = Object.values(JSON.parse(printed) as Record<string, { readonly size: number }>);
  return packed?.size ?? Number.NaN;
}

/** Milliseconds that a command takes from its second run on, when its code is in the compile cache. */
function commandMs(program: string, args: readonly string[], environment: Readonly<Record<string, string>>): number {
  const times = Array.from({ length: runs + 1 }, () => {
    const startedMs = performance.now();
    execFileSync(process.execPath, [program, ...args], { env: { ...process.env, ...environment }, stdio: 'ignore' });
    return performance.now() - startedMs;
  });
  return median(times.slice(1));
}

/** A kubeconfig of a cluster with one BundleDeployment. */
async function writeKubeconfig(text: string, path: string): Promise<void> {
  await writeFile(path, text);
  const kube = createKubeClient({ access: await loadClusterAccess({ text }), clock: systemClock });
  try {
    await kube.create(
      {
        apiVersion: 'core.rukpak.io/v1alpha1',
        kind: 'BundleDeployment',
        metadata: { name: 'bench' },
        spec: {
          provisionerClassName: 'core-rukpak-io-plain',
          template: {
            metadata: {},
            spec: {
              provisionerClassName: 'core-rukpak-io-plain',
              source: { type: 'image', image: { ref: 'registry.example/bench:1' } },
            },
          },
        },
      },
      { fieldManager: 'bench' },
    );
  } finally {
    kube.close();
  }
}

/** What a user waits for at the command line, and what the program takes on disk. */
export async function measureProgram(): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
  try {
    await using compiled = await compileFiles(['cli/main.ts']);
    const program = compiled.pathOf('cli/main.ts');
    await using server = startChild('api-server-child.ts', ['--crds', join(root, 'crds')]);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeKubeconfig((await server.next<{ readonly kubeconfig: string }>()).kubeconfig, kubeconfig);
    const environment = { NODE_COMPILE_CACHE: join(folder, 'compiled'), KUBECONFIG: kubeconfig };
    const seconds = (...args: readonly string[]): string =>
      `${(commandMs(program, args, environment) / 1000).toFixed(2)} s`;
    return [
      { what: 'longshore --help', value: seconds('--help'), goal: 'at most 0.1 s' },
      { what: 'longshore tree', value: seconds('tree', 'bd/bench'), goal: 'at most 0.25 s' },
      { what: 'shell completion', value: seconds('__complete', 'bundle', 'b'), goal: 'at most 0.1 s' },
      { what: 'longshore version', value: seconds('version') },
      { what: 'folder of npm ci', value: megabytes(sizeOf(join(root, 'node_modules'))), goal: 'at most 350 MB' },
      { what: 'published package', value: megabytes(packageBytes()), goal: 'at most 2 MB' },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
