import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, type Logger, systemClock, TerminalError } from '../../../src/base/index.ts';
import { parseOptions } from '../../command/index.ts';
import { type ExampleServers, startExampleServers } from '../../examples/index.ts';
import { createTerminal, type Terminal } from '../../output/index.ts';
import { readConfig, upOptions } from '../../settings/index.ts';
import { followChanges, type Platform, startPlatform } from '../../up/index.ts';
import { playThroughApi } from '../api-player.ts';
import { hasKubectl, runKubectl } from '../kubectl.ts';
import { machinesOptions, machinesStory } from '../machines-story.ts';
import { olmStory } from '../olm-story.ts';
import { playStep, type Stage } from '../stage.ts';
import { type Step, type StoryPlaces, story } from '../story.ts';
import { publishReleases, upgradeStory } from '../upgrade-story.ts';

const demoDeadlineMs = 180_000;

type Play = Stage['play'];

/** A story, ready to be played on a cluster. */
interface Prepared {
  /** Further options of the cluster. */
  readonly options: readonly string[];
  readonly steps: readonly Step[];
}

/** Prepares a story while there is no cluster yet. */
type Prepare = (stage: Stage, servers: ExampleServers) => Promise<Prepared>;

/** The places of the stories about bundles and operators.
 *  @throws TerminalError GitMissing */
async function placesOf({ terminal }: Stage, { registry, git }: ExampleServers): Promise<StoryPlaces> {
  if (git === undefined) throw new TerminalError('GitMissing', 'the demo needs the git program: install git');
  terminal.line(`git server on ${git.url}`);
  // The picture stays for the user.
  const picture = join(await mkdtemp(join(tmpdir(), 'longshore-picture-')), 'tide-gauge.svg');
  const [image, catalogImage] = [`${registry.host}/combo`, `${registry.host}/catalog`];
  return { repository: `${git.url}/combo.git`, image, catalogImage, picture };
}

const stories: Readonly<Record<string, Prepare>> = {
  bundles: async (...context) => ({ options: ['--no-olm'], steps: story(await placesOf(...context)) }),
  olm: async (...context) => ({ options: [], steps: olmStory(await placesOf(...context)) }),
  machines: () => Promise.resolve({ options: machinesOptions, steps: machinesStory() }),
  upgrade: async (stage, { registry }) => {
    const places = await publishReleases(stage, `${registry.host}/release`);
    const options = ['--no-olm', '--release', places.first];
    stage.terminal.line(`$ npx longshore up ${options.join(' ')} &`);
    return { options, steps: upgradeStory(places) };
  },
};

/** @throws TerminalError InvalidOption */
function storyOf(name: string): Prepare {
  const found = Object.hasOwn(stories, name) ? stories[name] : undefined;
  if (found !== undefined) return found;
  throw new TerminalError('InvalidOption', `expected ${Object.keys(stories).join(' or ')}, found "${name}"`);
}

async function choosePlayer(platform: Platform, { cwd, signal, terminal }: Stage): Promise<Play> {
  const options = { cwd, kubeconfigPath: platform.kubeconfigPath, signal };
  if (await hasKubectl(options)) return (args) => runKubectl(args, options);
  terminal.line(
    'kubectl is not installed: what it would do is done through the API instead, and printed the same way.',
  );
  if (platform.apiServer === undefined) throw new Error('the demo runs on an API server of its own');
  const { url, caCertificatePem, adminToken: token } = platform.apiServer;
  const player = { access: { url, caCertificatePem, token }, cwd, clock: systemClock, signal };
  return (args) => playThroughApi(args, player);
}

/** States are shown by kubectl; what is on its way only while it is, and not where lines stay. */
function followPlatform({ kube }: Platform, terminal: Terminal, context: { log: Logger; signal: AbortSignal }): void {
  const progress = (text: string): void => {
    if (process.stdout.isTTY) terminal.progress(text);
  };
  followChanges({ kube, clock: systemClock, ...context }, { line: () => undefined, progress });
}

/** `longshore demo`: a walkthrough on temporary servers. Resolves to 0 when every step succeeded. */
export async function demo([name = 'bundles']: readonly [string?]): Promise<number> {
  const prepare = storyOf(name);
  const terminal = createTerminal(process.stdout);
  const startedMs = performance.now();
  const secondsSince = (digits: number): string => ((performance.now() - startedMs) / 1000).toFixed(digits);
  const signal = AbortSignal.timeout(demoDeadlineMs);
  await using stack = new AsyncDisposableStack();
  const cwd = await mkdtemp(join(tmpdir(), 'longshore-demo-'));
  stack.defer(() => rm(cwd, { recursive: true, force: true }));
  const servers = stack.use(await startExampleServers());
  terminal.line(`image registry on http://${servers.registry.host}`);
  const kubeconfigPath = join(cwd, 'data', 'kubeconfig');
  const background = stack.use(new AsyncDisposableStack());
  const noCluster: Play = () => Promise.reject(new Error('there is no cluster yet'));
  const stage: Stage = { play: noCluster, terminal, cwd, kubeconfigPath, signal, background };
  const { options, steps } = await prepare(stage, servers);
  const args = ['--data-dir', join(cwd, 'data'), '--log-level', 'error', ...options];
  const config = readConfig(parseOptions(upOptions, args, {}).values);
  const log = await createLogger({ level: config.logLevel });
  const platform = stack.use(await startPlatform(config, { log, onStep: (line) => terminal.line(line) }));
  terminal.line(`ready in ${secondsSince(1)} s`);
  const leaving = new AbortController();
  stack.defer(() => leaving.abort());
  followPlatform(platform, terminal, { log, signal: leaving.signal });
  const play = await choosePlayer(platform, stage);
  for (const step of steps) await playStep(step, { ...stage, play });
  terminal.line(`\nDone in ${secondsSince(0)} s. Start one of your own: npx longshore up`);
  return 0;
}
