import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, systemClock, TerminalError } from '../../../src/base/index.ts';
import { parseOptions } from '../../command/index.ts';
import { startExampleServers } from '../../examples/index.ts';
import { createTerminal, type Terminal } from '../../output/index.ts';
import { readConfig, upOptions } from '../../settings/index.ts';
import { followChanges, type Platform, startPlatform } from '../../up/index.ts';
import { playThroughApi } from '../api-player.ts';
import { hasKubectl, runKubectl } from '../kubectl.ts';
import { olmStory } from '../olm-story.ts';
import { type CommandResult, runLongshore } from '../program.ts';
import { type Step, type StoryPlaces, story } from '../story.ts';

const demoDeadlineMs = 180_000;

type Play = (args: readonly string[]) => Promise<CommandResult>;

/** As a person would type it: arguments with blanks or braces in quotes. */
function typed(args: readonly string[]): string {
  return args.map((word) => (/[\s{}"$*?()[\]]/.test(word) ? `'${word}'` : word)).join(' ');
}

function shown(content: string): string {
  return content.trimEnd().replace(/^/gm, '  ');
}

interface Stage {
  readonly play: Play;
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly kubeconfigPath: string;
  readonly signal: AbortSignal;
}

async function playCommand(words: readonly string[], stage: Stage, isRefused: boolean): Promise<void> {
  const { play, terminal } = stage;
  const [program, ...args] = words;
  terminal.line(`$ ${program === 'longshore' ? 'npx ' : ''}${typed(words)}`);
  const { exitCode, output } = program === 'kubectl' ? await play(args) : await runLongshore(args, stage);
  if (output.trimEnd() !== '') terminal.line(output.trimEnd());
  if ((exitCode !== 0) !== isRefused) {
    const expected = isRefused ? 'a refusal' : 'success';
    throw new TerminalError('DemoFailed', `${words.join(' ')}: expected ${expected}, got exit status ${exitCode}`);
  }
}

async function playStep(step: Step, stage: Stage): Promise<void> {
  const { terminal } = stage;
  if ('comment' in step) {
    terminal.line(`\n# ${step.comment}`);
  } else if ('write' in step) {
    await writeFile(join(stage.cwd, step.write), step.content);
    terminal.line(`$ cat ${step.write}\n${shown(step.content)}`);
  } else if ('longshore' in step) {
    await playCommand(['longshore', ...step.longshore], stage, step.isRefused === true);
  } else {
    await playCommand(['kubectl', ...step.kubectl], stage, step.isRefused === true);
  }
}

async function choosePlayer(
  platform: Platform,
  context: { cwd: string; signal: AbortSignal; terminal: Terminal },
): Promise<Play> {
  const { cwd, signal, terminal } = context;
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

const stories: Readonly<Record<string, (places: StoryPlaces) => readonly Step[]>> = { bundles: story, olm: olmStory };

function storyOf(name: string): (places: StoryPlaces) => readonly Step[] {
  const found = Object.hasOwn(stories, name) ? stories[name] : undefined;
  if (found !== undefined) return found;
  throw new TerminalError('InvalidOption', `expected ${Object.keys(stories).join(' or ')}, found "${name}"`);
}

/** `longshore demo`: a walkthrough on temporary servers. Resolves to 0 when every step succeeded. */
export async function demo([name = 'bundles']: readonly [string?]): Promise<number> {
  const chosen = storyOf(name);
  const terminal = createTerminal(process.stdout);
  const startedMs = performance.now();
  const signal = AbortSignal.timeout(demoDeadlineMs);
  await using stack = new AsyncDisposableStack();
  const cwd = await mkdtemp(join(tmpdir(), 'longshore-demo-'));
  stack.defer(() => rm(cwd, { recursive: true, force: true }));
  const { registry, git } = stack.use(await startExampleServers());
  if (git === undefined) throw new TerminalError('GitMissing', 'the demo needs the git program: install git');
  terminal.line(`image registry on http://${registry.host}`);
  terminal.line(`git server on ${git.url}`);
  const parts = chosen === olmStory ? [] : ['--no-olm'];
  const args = ['--data-dir', join(cwd, 'data'), '--log-level', 'error', ...parts];
  const config = readConfig(parseOptions(upOptions, args, {}).values);
  const log = await createLogger({ level: config.logLevel });
  const platform = stack.use(await startPlatform(config, { log, onStep: (line) => terminal.line(line) }));
  terminal.line(`ready in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  const leaving = new AbortController();
  stack.defer(() => leaving.abort());
  // States are shown by kubectl; what is on its way only while it is, and not where lines stay.
  const progress = (text: string): void => {
    if (process.stdout.isTTY) terminal.progress(text);
  };
  followChanges(
    { kube: platform.kube, clock: systemClock, log, signal: leaving.signal },
    { line: () => undefined, progress },
  );
  const play = await choosePlayer(platform, { cwd, signal, terminal });
  // The picture stays for the user.
  const picture = join(await mkdtemp(join(tmpdir(), 'longshore-picture-')), 'tide-gauge.svg');
  const places = {
    repository: `${git.url}/combo.git`,
    image: `${registry.host}/combo`,
    catalogImage: `${registry.host}/catalog`,
    picture,
  };
  const stage = { play, terminal, cwd, kubeconfigPath: platform.kubeconfigPath, signal };
  for (const step of chosen(places)) await playStep(step, stage);
  terminal.line(
    `\nDone in ${((performance.now() - startedMs) / 1000).toFixed(0)} s. Start one of your own: npx longshore up`,
  );
  return 0;
}
