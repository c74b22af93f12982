import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GitServer, startGitServer } from './git-server.ts';
import { type Registry, startRegistry } from './registry.ts';
import type { StoryPlaces } from './story.ts';

/** The registry and the git server of the demo, with every version of the example in both. */
export interface DemoServers extends AsyncDisposable {
  readonly registry: Registry;
  readonly git: GitServer;
  readonly places: Omit<StoryPlaces, 'picture'>;
}

const exampleFolder = fileURLToPath(new URL('../../examples/combo', import.meta.url));

async function readFiles(version: string): Promise<Record<string, string>> {
  const folder = join(exampleFolder, version);
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.yaml')).sort();
  const entries = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Starts both on loopback, on free ports. The git server needs the git program. */
export async function startDemoServers(): Promise<DemoServers> {
  const versions = (await readdir(exampleFolder)).sort();
  const contents = await Promise.all(versions.map(async (version) => ({ version, files: await readFiles(version) })));
  const stack = new AsyncDisposableStack();
  const registry = stack.use(await startRegistry());
  const git = stack.use(await startGitServer());
  for (const { version, files } of contents) registry.putImage(`combo:${version}`, [{ files }]);
  await git.createRepository(
    'combo.git',
    contents.map(({ version, files }) => ({ files, tags: [version] })),
  );
  const places = { repository: `${git.url}/combo.git`, image: `${registry.host}/combo` };
  return { registry, git, places, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
