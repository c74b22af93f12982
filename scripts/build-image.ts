/** `npm run build:image`: the steps of the Dockerfile in a temporary folder, without a container engine; then runs the result, in a folder that it may not
 *  change: a cluster comes up, the manifests are checked against it, and a chart is rendered. `--sbom FILE` keeps a copy of the bill of materials; `--modules
 *  FOLDER` takes the packages from there instead of running `npm ci`; `--helm PROGRAM` takes helm from there, and `--helm build` runs
 *  the stage that builds it, with the Go of this machine; without it the result has no helm. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const temporary = (name: string): string => mkdtempSync(join(tmpdir(), `longshore-${name}-`));
const [build, image, work] = [temporary('build'), temporary('image'), temporary('work')];
const [helmStage = '', runtime = ''] = readFileSync('Dockerfile', 'utf8').split(/^FROM .* AS build$/m);
const stages = runtime.split(/^FROM /m);
const [buildStage = '', runtimeStage = ''] = [stages.at(0), stages.at(-1)];

const { values } = parseArgs({
  options: { sbom: { type: 'string' }, modules: { type: 'string' }, helm: { type: 'string' } },
});
/** Where helm is, below the root of the image. */
const helmPath = join(work, 'usr/local/bin/helm');

/** The file that npm writes again when it removes packages. */
const installedList = '.package-lock.json';

/** Temporary folders may be on another file system. */
function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EXDEV') throw thrown;
    copyFileSync(source, target);
  }
}

/** Copies a folder of packages by hard links, which takes a tenth of the time that `npm ci` takes. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name === '.cache') continue;
    if (entry.isDirectory()) linkFolder(source, target);
    else if (entry.isFile() && entry.name !== installedList) linkOrCopy(source, target);
    else cpSync(source, target, { verbatimSymlinks: true });
  }
}

/** Runs a RUN line of the build stage. */
function runStep(command: string): void {
  if (values.modules !== undefined && command.includes('npm ci')) {
    console.log(`> packages of ${values.modules}`);
    linkFolder(values.modules, join(build, 'node_modules'));
    return;
  }
  console.log(`> ${command}`);
  execFileSync('sh', ['-c', command], { cwd: build, stdio: 'inherit' });
}

/** The lines of a stage that begin with the instruction, without it. */
function linesOf(stage: string, instruction: string): string[] {
  const lines = stage.split('\n').filter((line) => line.startsWith(`${instruction} `));
  return lines.map((line) => line.slice(instruction.length + 1));
}

/** The version of helm that the Dockerfile builds. */
function helmVersion(): string {
  return (
    linesOf(helmStage, 'ARG')
      .join('\n')
      .match(/^HELM_VERSION=(\S+)$/m)?.[1] ?? ''
  );
}

/** Runs the stage that builds helm, or takes the program that was given. */
function addHelm(program: string): void {
  mkdirSync(dirname(helmPath), { recursive: true });
  if (program !== 'build') {
    copyFileSync(program, helmPath);
    return;
  }
  const [command = ''] = linesOf(helmStage, 'RUN');
  const env = { ...process.env, GOBIN: dirname(helmPath), GOFLAGS: '', GOWORK: 'off', HELM_VERSION: helmVersion() };
  console.log(`> ${withoutMounts(command)}`);
  execFileSync('sh', ['-c', withoutMounts(command)], { cwd: work, stdio: 'inherit', env });
}

/** A chart is rendered by the helm of the image, which has the version of the Dockerfile. */
async function tryHelm(): Promise<void> {
  // What Go has installed by itself knows no patch version.
  const found = execFileSync(helmPath, ['version', '--short']).toString().trim();
  if (!found.startsWith(helmVersion().replace(/\.\d+$/, '')))
    throw new Error(`helm: expected ${helmVersion()}, found ${found}`);
  const rendered = await printed('bundle', 'render', resolve('examples/ahoy'), '--helm', helmPath);
  if (!rendered.includes('kind: Deployment'))
    throw new Error(`bundle render: expected a Deployment, found: ${rendered}`);
  console.log(`charts are rendered by helm ${found}`);
}

const withoutMounts = (command: string): string => command.replace(/^(?:--mount=\S+ )+/, '');

function copyOut(line: string): void {
  // Built from Go, and looked for in PATH when a chart is installed; and what runs this script.
  if (/^--from=(?:helm|node) /.test(line)) return;
  const [, from = '', to = ''] = /^--from=build .*\/src\/(\S+) \.\/(\S+)$/.exec(line) ?? [];
  if (from === '') throw new Error(`Dockerfile: COPY ${line}: expected --from=build … /src/PATH ./PATH`);
  cpSync(join(build, from), join(image, to), { recursive: true, verbatimSymlinks: true });
}

/** Size of the files of the image that are ours, in MB. */
function sizeInMegabytes(): number {
  const sizes = globSync('**', { cwd: image }).map((file) => statSync(join(image, file)).size);
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1e6);
}

function listing(): string {
  const files = globSync('**', { cwd: image }).sort();
  return files.map((file) => `${file} ${statSync(join(image, file)).mtimeMs}`).join('\n');
}

const start = (args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [join(image, 'cli/bin.js'), ...args], { cwd: work, stdio: ['ignore', 'pipe', 'inherit'] });

async function printed(...args: readonly string[]): Promise<string> {
  const child = start(args);
  let text = '';
  child.stdout?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return text;
}

async function tryOut(): Promise<void> {
  console.log(await printed('version'));
  // Of this package the image has a part.
  const plugins = `await import('@kubernetes/client-node/dist/exec_auth.js')`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', plugins], { cwd: image, stdio: 'inherit' });
  const kubeconfig = join(work, 'kubeconfig');
  const up = start(['up', '--kubeconfig', kubeconfig]);
  try {
    if (up.stdout === null) throw new Error('no output to read');
    for await (const line of createInterface({ input: up.stdout })) {
      console.log(line);
      if (line.startsWith('ready')) break;
    }
    const printedText = await printed('install', '--kubeconfig', kubeconfig, '--dry-run');
    if (!printedText.includes('deployment.apps/core created (dry run)'))
      throw new Error(`install --dry-run: expected deployment core, found: ${printedText}`);
  } finally {
    up.kill('SIGTERM');
    await once(up, 'exit');
  }
}

try {
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z']).toString().split('\0');
  for (const file of tracked.filter((name) => name !== '')) {
    cpSync(file, join(build, file), { recursive: true, verbatimSymlinks: true });
  }
  for (const command of linesOf(buildStage, 'RUN')) runStep(withoutMounts(command));
  for (const line of linesOf(runtimeStage, 'COPY')) copyOut(line);
  const before = listing();
  await tryOut();
  if (values.helm !== undefined) {
    addHelm(values.helm);
    await tryHelm();
  }
  if (listing() !== before) throw new Error('the program has changed files of its own image');
  if (values.sbom !== undefined) copyFileSync(join(image, 'sbom.cdx.json'), values.sbom);
  console.log(`the image runs; above its base and the programs node and helm it has ${sizeInMegabytes()} MB`);
} finally {
  for (const folder of [build, image, work]) rmSync(folder, { recursive: true, force: true });
}
