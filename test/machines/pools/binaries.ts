import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const repository = 'https://github.com/openshift/machine-config-operator';
const commit = '7ff337a4ffac8e7562692181178ede61e4b2eec5';
const main = join(import.meta.dirname, 'reference/main.go');
const tags = 'containers_image_openpgp exclude_graphdriver_btrfs exclude_graphdriver_devicemapper';
const renderController = 'pkg/controller/render/render_controller.go';

function programPath(): string {
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(root, 'longshore/machine-config-controllers', `${commit.slice(0, 12)}.program`);
}

async function isBuilt(): Promise<boolean> {
  return await access(programPath(), constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function build(report: (line: string) => void): Promise<void> {
  const source = `${programPath()}.building-${process.pid}`;
  const git = (...args: string[]) => run('git', args, { cwd: source });
  try {
    report(`cloning ${repository} …`);
    await mkdir(source, { recursive: true });
    await git('init', '--quiet');
    await git('fetch', '--quiet', '--depth', '1', repository, commit);
    await git('checkout', '--quiet', 'FETCH_HEAD');
    await mkdir(join(source, 'cmd/reference'));
    await cp(main, join(source, 'cmd/reference/main.go'));
    const text = await readFile(join(source, renderController), 'utf8');
    await writeFile(
      join(source, renderController),
      text.replace('renderDelay = 5 * time.Second', 'renderDelay = 300 * time.Millisecond'),
    );
    report('building the controllers (minutes, the first time) …');
    const args = [
      'build',
      '-mod=vendor',
      '-p=2',
      '-trimpath',
      '-buildvcs=false',
      '-tags',
      tags,
      '-ldflags',
      '-s -w',
      '-o',
      'program',
    ];
    const child = spawn('go', [...args, './cmd/reference'], {
      cwd: source,
      env: { ...process.env, GOWORK: 'off', CGO_ENABLED: '0' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`go build ended with ${String(code)}`);
    await rename(join(source, 'program'), programPath());
  } finally {
    await rm(source, { recursive: true, force: true });
  }
}

/** The render, node and drain controllers of the machine-config-operator: from the cache, or, where `mayBuild`, built once with git and Go. */
export async function findControllers(options: {
  readonly mayBuild: boolean;
  readonly report: (line: string) => void;
}): Promise<{ readonly program: string } | { readonly missing: string }> {
  if (await isBuilt()) return { program: programPath() };
  if (!options.mayBuild) return { missing: 'none are built yet; install Go and run npm run conformance:pools' };
  try {
    await build(options.report);
    return { program: programPath() };
  } catch (thrown) {
    return { missing: `they cannot be built here: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}
