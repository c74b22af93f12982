import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDemoServers } from '../../cli/demo/servers.ts';
import type { StoryPlaces } from '../../cli/demo/story.ts';
import { startPlatform } from '../../cli/platform.ts';
import { silentLogger } from '../../src/base/index.ts';
import { matchesDocument, stepsOf } from './documents.ts';
import { configOf } from './world.ts';

const documents = ['docs/getting-started.md', 'docs/deployments.md'];
const missing = ['kubectl', 'git'].filter((program) => spawnSync(program, ['--help']).error !== undefined);
const why = missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} not installed)`;

/** The loopback servers in place of the hosts that the documents name. */
function localise(text: string, places: StoryPlaces): string {
  return text
    .replaceAll('https://git.example.com/combo.git', places.repository)
    .replaceAll('registry.example.com/combo', places.image);
}

function run(command: string, options: { cwd: string; kubeconfig: string }): Promise<string> {
  const env = { ...process.env, KUBECONFIG: options.kubeconfig, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile('sh', ['-c', `${command} 2>&1`], { cwd: options.cwd, env, timeout: 90_000 }, (_error, stdout) => {
      resolve(stdout);
    });
  });
}

test.skipIf(missing.length > 0).each(documents)(`what %s shows is what is printed${why}`, async (document) => {
  await using stack = new AsyncDisposableStack();
  const cwd = await mkdtemp(join(tmpdir(), 'longshore-docs-'));
  stack.defer(() => rm(cwd, { recursive: true, force: true }));
  const servers = stack.use(await startDemoServers());
  const platform = stack.use(await startPlatform(configOf([]), { log: silentLogger() }));
  const steps = stepsOf(localise(await readFile(document, 'utf8'), servers.places));
  expect(steps.filter((step) => step.kind === 'command').length).toBeGreaterThan(5);
  for (const step of steps) {
    if (step.kind === 'file') {
      await writeFile(join(cwd, step.name), step.content);
      continue;
    }
    const printed = await run(step.command, { cwd, kubeconfig: platform.kubeconfigPath });
    // kubectl says nothing when the object had gone before it asked.
    const isGoneAlready = step.command.includes('--for=delete') && printed === '';
    const isAsShown = isGoneAlready || matchesDocument(step.output, printed);
    expect(isAsShown ? '' : `$ ${step.command}\nshown:\n${step.output}\nprinted:\n${printed}`).toBe('');
  }
});
