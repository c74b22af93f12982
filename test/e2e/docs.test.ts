import { execFile, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { upOptions } from '../../cli/config.ts';
import { startDemoServers } from '../../cli/demo/servers.ts';
import type { StoryPlaces } from '../../cli/demo/story.ts';
import { startPlatform } from '../../cli/platform.ts';
import { silentLogger } from '../../src/base/index.ts';
import { type DocumentStep, fencesOf, matchesDocument, stepsOf } from './documents.ts';
import { configOf } from './world.ts';

const documents = ['docs/getting-started.md', 'docs/deployments.md', 'docs/embedded-api-server.md'];
const missing = ['kubectl', 'git'].filter((program) => spawnSync(program, ['--help']).error !== undefined);
const why = missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} not installed)`;

/** The loopback servers in place of the hosts that the documents name. */
function localise(text: string, places: StoryPlaces): string {
  return text
    .replaceAll('https://git.example.com/combo.git', places.repository)
    .replaceAll('registry.example.com/combo', places.image);
}

function run(command: string, options: { cwd: string; kubeconfig: string }): Promise<string> {
  const env = { ...process.env, KUBECONFIG: options.kubeconfig, KUBECTL_KUBERC: 'false', NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile('sh', ['-c', `exec 2>&1; ${command}`], { cwd: options.cwd, env, timeout: 90_000 }, (_error, stdout) => {
      resolve(stdout);
    });
  });
}

/** kubectl waits for a deletion without a word when the object was gone before it looked. */
function isShown({ command, output }: { command: string; output: string }, printed: string): boolean {
  return matchesDocument(output, printed) || (printed === '' && command.includes(' --for=delete '));
}

/** A reader with a cluster and the two servers; `toSteps` gets their places. */
async function follow(toSteps: (places: StoryPlaces) => readonly DocumentStep[]): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const cwd = await mkdtemp(join(tmpdir(), 'longshore-docs-'));
  stack.defer(() => rm(cwd, { recursive: true, force: true }));
  const servers = stack.use(await startDemoServers());
  const platform = stack.use(await startPlatform(configOf([]), { log: silentLogger() }));
  for (const step of toSteps(servers.places)) {
    if (step.kind === 'file') {
      await writeFile(join(cwd, step.name), step.content);
      continue;
    }
    const printed = await run(step.command, { cwd, kubeconfig: platform.kubeconfigPath });
    const problem = `$ ${step.command}\nshown:\n${step.output}\nprinted:\n${printed}`;
    expect(isShown(step, printed) ? '' : problem).toBe('');
  }
}

test.skipIf(missing.length > 0).each(documents)(`what %s shows is what is printed${why}`, async (document) => {
  const text = await readFile(document, 'utf8');
  expect(stepsOf(text).filter((step) => step.kind === 'command').length).toBeGreaterThan(5);
  await follow((places) => stepsOf(localise(text, places)));
});

/** A Bundle with this source, and the command that has the API check it. */
function trySource(source: string, index: number): DocumentStep[] {
  const head = `apiVersion: core.rukpak.io/v1alpha1\nkind: Bundle\nmetadata: {name: source-${index}}\nspec:\n`;
  const spec = `provisionerClassName: core-rukpak-io-plain\n${source}`.replaceAll(/^(?=.)/gm, '  ');
  const command = 'kubectl create --dry-run=server --validate=strict -o name -f bundle.yaml 2>/dev/null';
  return [
    { kind: 'file', name: 'bundle.yaml', content: head + spec },
    { kind: 'command', command, output: `bundle.core.rukpak.io/source-${index}` },
  ];
}

test.skipIf(missing.length > 0)(`the API takes every source that docs/sources.md shows${why}`, async () => {
  const fences = fencesOf(await readFile('docs/sources.md', 'utf8'));
  const sources = fences.map(({ lines }) => lines.join('\n')).filter((text) => text.startsWith('source:'));
  expect(sources.length).toBeGreaterThan(1);
  await follow(() => sources.flatMap(trySource));
});

test('the options that docs/sources.md names are those of longshore up', async () => {
  const known = upOptions.map(({ name, placeholder = '' }) => `--${name} ${placeholder}`);
  const text = await readFile('docs/sources.md', 'utf8');
  const named = [...text.matchAll(/`(--[a-z-]+ [A-Z][^`]*)`/g)].map(([, option]) => option);
  expect(named.length).toBeGreaterThan(2);
  expect(known).toEqual(expect.arrayContaining(named));
});

test('every link between the documents leads to a file', async () => {
  const pages = [...globSync('*.md'), ...globSync('docs/**/*.md'), 'examples/README.md'];
  const texts = await Promise.all(pages.map(async (page) => ({ page, text: await readFile(page, 'utf8') })));
  const links = texts.flatMap(({ page, text }) =>
    [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => join(dirname(page), target)),
  );
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((target) => !existsSync(target))).toEqual([]);
});
