import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makeFolder, type TakeTurn, TerminalError, turnTaker } from '../base/index.ts';
import { type ChartRenderer, type ChartRequest, type LintMessage, renderFailed } from '../formats/index.ts';
import { type RunEnd, runConfined } from './confined-run.ts';
import { findHelm, type HelmPlace, type HelmProgram, stateOfProgram } from './helm-program.ts';
import { defaultRunLimits, type RunLimits } from './limits.ts';
import { RenditionCache } from './rendition-cache.ts';

export interface ChartRendererOptions extends HelmPlace {
  /** Folders of runs are made in it. */
  readonly temporaryDir: string;
  readonly limits?: Partial<RunLimits>;
  /** Where results are stored; nowhere without it. */
  readonly cache?: { readonly dir: string; readonly key: Uint8Array } | undefined;
  /** Called for each run of helm that renders. */
  readonly onRender?: () => void;
}

const mebibyte = 1024 * 1024;
const maxCacheBytes = 128 * mebibyte;
const apisAnArgument = 200;

function refuse(text: string): never {
  throw new TerminalError(renderFailed, text);
}

function limitText(limit: NonNullable<RunEnd['limit']>, limits: RunLimits): string {
  const texts = {
    processor: `took more than ${limits.processorSeconds} s of processor time`,
    memory: `needs more than ${limits.memoryBytes / mebibyte} MiB of memory`,
    output: `renders to more than ${limits.outputBytes / mebibyte} MiB`,
  };
  return `the chart ${texts[limit]}: nothing of it is installed`;
}

/** What helm complains about, without what only its caller knows. */
function complaintOf({ complaint, status }: RunEnd, folder: string): string {
  const text = complaint
    .replaceAll(`${folder}/`, '')
    .replaceAll(folder, '')
    // A template that includes itself is named a thousand times.
    .replace(/(: error calling \w+: template: \S+ executing "[^"]*" at <[^>]*>)\1+/g, '$1 …')
    .replace(/Use --debug flag to render out invalid YAML\s*$/, '')
    .trim();
  const error = /(?:^|\n)Error: ([\s\S]*)$/.exec(text)?.[1] ?? text;
  return error === '' ? `helm ended with status ${status ?? 'none'}` : error;
}

function apiArguments(apiVersions: readonly string[]): readonly string[] {
  const args: string[] = [];
  for (let start = 0; start < apiVersions.length; start += apisAnArgument) {
    args.push('--api-versions', apiVersions.slice(start, start + apisAnArgument).join(','));
  }
  return args;
}

async function writeValues(folder: string, { values }: ChartRequest): Promise<readonly string[]> {
  const args: string[] = [];
  for (const [index, { text, targetPath }] of values.entries()) {
    const path = `${folder}/values-${index}.yaml`;
    await writeFile(path, text, { mode: 0o600 });
    args.push(...(targetPath === undefined ? ['--values', path] : ['--set-file', `${targetPath}=${path}`]));
  }
  return args;
}

/** Small files, one after the other; other charts have their turns, as there may be very many. */
async function writeChart(folder: string, { files }: ChartRequest, takeTurn: TakeTurn): Promise<void> {
  const made = new Set<string>();
  const root = resolve(folder, 'chart');
  for (const { path, content } of files) {
    const target = resolve(root, path);
    if (!target.startsWith(`${root}/`)) refuse(`${JSON.stringify(path.slice(0, 200))}: leads out of the chart`);
    const parent = dirname(target);
    if (!made.has(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 });
    made.add(parent);
    writeFileSync(target, content, { mode: 0o600 });
    await takeTurn();
  }
}

async function templateArguments(folder: string, request: ChartRequest): Promise<readonly string[]> {
  const { release, kubeVersion, apiVersions } = request;
  const place = [release.name, `${folder}/chart`, '--namespace', release.namespace];
  return [
    'template',
    ...place,
    '--include-crds',
    ...(kubeVersion === '' ? [] : ['--kube-version', kubeVersion]),
    ...(release.isUpgrade ? ['--is-upgrade'] : []),
    ...(await writeValues(folder, request)),
    ...apiArguments(apiVersions),
  ];
}

async function lintArguments(folder: string, request: ChartRequest): Promise<readonly string[]> {
  const { release, kubeVersion } = request;
  return [
    'lint',
    `${folder}/chart`,
    '--namespace',
    release.namespace,
    ...(kubeVersion === '' ? [] : ['--kube-version', kubeVersion]),
    ...(await writeValues(folder, request)),
  ];
}

const severities = { ERROR: 'error', WARNING: 'warning', INFO: 'info' } as const;

/** `[WARNING] templates/: chart directory is missing` */
function lintMessages(output: string): readonly LintMessage[] {
  return [...output.matchAll(/^\[(ERROR|WARNING|INFO)\] ([^:\n]*): ([\s\S]*?)(?=\n\[|\n\n|$(?![\s\S]))/gm)].map(
    ([, severity = 'INFO', path = '', text = '']) => ({
      severity: severities[severity as keyof typeof severities],
      path,
      text: text.trim(),
    }),
  );
}

interface HelmRun {
  readonly args: readonly string[];
  readonly request: ChartRequest;
  readonly folder: string;
  readonly signal: AbortSignal;
}

class HelmRenderer implements ChartRenderer {
  readonly #options: ChartRendererOptions;
  readonly #limits: RunLimits;
  readonly #cache: RenditionCache | undefined;
  #found: { readonly helm: HelmProgram; readonly state: string } | undefined;

  constructor(options: ChartRendererOptions) {
    this.#options = options;
    this.#limits = { ...defaultRunLimits, ...options.limits };
    const { cache } = options;
    if (cache === undefined) return;
    this.#cache = new RenditionCache({
      ...cache,
      maxBytes: maxCacheBytes,
      maxRenditionBytes: this.#limits.outputBytes,
    });
  }

  async render(request: ChartRequest, { signal }: { readonly signal: AbortSignal }): Promise<Buffer> {
    const stored = await this.#cache?.read(request.key);
    if (stored !== undefined) return stored;
    return await this.#inFolder(signal, async (helm, folder) => {
      this.#options.onRender?.();
      const ended = await this.#run(helm, { args: await templateArguments(folder, request), request, folder, signal });
      if (ended.status !== 0) refuse(complaintOf(ended, folder));
      await this.#cache?.write(request.key, ended.output);
      return ended.output;
    });
  }

  async lint(request: ChartRequest, { signal }: { readonly signal: AbortSignal }): Promise<readonly LintMessage[]> {
    return await this.#inFolder(signal, async (helm, folder) => {
      const ended = await this.#run(helm, { args: await lintArguments(folder, request), request, folder, signal });
      return lintMessages(ended.output.toString('utf8').replaceAll(`${folder}/`, ''));
    });
  }

  async #inFolder<Result>(
    signal: AbortSignal,
    work: (helm: HelmProgram, folder: string) => Promise<Result>,
  ): Promise<Result> {
    const folder = `${this.#options.temporaryDir}/${randomUUID()}`;
    makeFolder(folder, 0o700);
    try {
      return await work(await this.#program(folder, signal), folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Looked for again when another program has its place. */
  async #program(folder: string, signal: AbortSignal): Promise<HelmProgram> {
    const known = this.#found;
    if (known !== undefined && stateOfProgram(known.helm) === known.state) return known.helm;
    const helm = await findHelm(this.#options, { folder, signal });
    this.#found = { helm, state: stateOfProgram(helm) };
    return helm;
  }

  async #run({ path, hasOwnNetwork }: HelmProgram, { args, request, folder, signal }: HelmRun): Promise<RunEnd> {
    await writeChart(folder, request, turnTaker(signal));
    const command = [path, ...args];
    const ended = await runConfined({ command, folder, hasOwnNetwork, limits: this.#limits, signal });
    if (ended.limit !== undefined) refuse(limitText(ended.limit, this.#limits));
    return ended;
  }
}

/** An engine for charts; helm is looked for when the first one is rendered. */
export function createChartRenderer(options: ChartRendererOptions): ChartRenderer {
  return new HelmRenderer(options);
}
