/** `npm run build:image`: the steps of the Dockerfile in a temporary folder, without a container engine; then starts what came out. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const build = mkdtempSync(join(tmpdir(), 'longshore-build-'));
const image = mkdtempSync(join(tmpdir(), 'longshore-image-'));
const step = (command: string): void => {
  console.log(`> ${command}`);
  execFileSync('sh', ['-c', command], { cwd: build, stdio: 'inherit' });
};

try {
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z']).toString().split('\0');
  for (const file of tracked.filter((name) => name !== '')) cpSync(file, join(build, file));
  for (const command of dockerfileSteps()) step(command);
  for (const part of ['package.json', 'node_modules', 'dist', 'crds', 'cli/bin.js']) {
    cpSync(join(build, part), join(image, part), { recursive: true, verbatimSymlinks: true });
  }
  console.log('> node cli/bin.js version');
  execFileSync(process.execPath, [join(image, 'cli/bin.js'), 'version'], { cwd: image, stdio: 'inherit' });
  execFileSync(process.execPath, [join(image, 'cli/bin.js'), 'up', '--help'], { cwd: image, stdio: 'inherit' });
} finally {
  rmSync(build, { recursive: true, force: true });
  rmSync(image, { recursive: true, force: true });
}

/** The RUN lines of the build stage, so that the two can not drift apart. */
function dockerfileSteps(): string[] {
  const stages = readFileSync('Dockerfile', 'utf8').split(/^FROM /m);
  const lines = stages[1]?.split('\n') ?? [];
  return lines.filter((line) => line.startsWith('RUN ')).map((line) => line.slice('RUN '.length));
}
