import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage, makeFolder, TerminalError } from '../../src/base/index.ts';
import { type CompositeComponent, type Meta, writeCatalog } from '../../src/catalog/index.ts';
import { buildTemplate } from './build-template.ts';
import { openCatalog } from './open.ts';
import type { RenderOptions } from './render.ts';
import { readTextFile } from './text-file.ts';
import { assertValid } from './validated.ts';

/** How components are built. */
export interface CompositeOptions extends Omit<RenderOptions, 'allowed'> {
  readonly format: 'json' | 'yaml';
  /** Whether programs that a component names may be run. */
  readonly mayRun: boolean;
}

async function collect(metas: AsyncIterable<Meta>): Promise<readonly Meta[]> {
  const all: Meta[] = [];
  for await (const meta of metas) all.push(meta);
  return all;
}

async function write(metas: readonly Meta[], path: string, { format }: CompositeOptions): Promise<void> {
  makeFolder(dirname(path));
  await pipeline(Readable.from(writeCatalog(metas, { format })), createWriteStream(path));
}

/** @throws TerminalError NotAllowed, CommandFailed */
async function runCommand({ command }: CompositeComponent, { mayRun, signal }: CompositeOptions): Promise<void> {
  const [program = '', ...words] = command;
  if (!mayRun) {
    throw new TerminalError('NotAllowed', `would run ${command.join(' ')}: allow it with --run-commands`);
  }
  const child = spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit'], signal });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', (code) => resolve(code));
  const code = await promise;
  if (code !== 0) throw new TerminalError('CommandFailed', `${program}: exit status ${code ?? 'unknown'}`);
}

/** What a component is made of; undefined when a program writes it. */
async function documentsOf(
  component: CompositeComponent,
  options: CompositeOptions,
): Promise<readonly Meta[] | undefined> {
  const { builder, input } = component;
  if (builder === 'custom') {
    await runCommand(component, options);
    return undefined;
  }
  if (builder === 'raw') return await collect(openCatalog(input, options));
  return await buildTemplate({ name: input, text: await readTextFile(input), type: builder }, options);
}

async function buildComponent(component: CompositeComponent, options: CompositeOptions): Promise<string> {
  const path = join(component.folder, component.output);
  const documents = await documentsOf(component, options);
  if (documents === undefined) await stat(path);
  else {
    assertValid(documents, component.input);
    await write(documents, path, options);
  }
  assertValid(await collect(openCatalog(component.folder, options)), component.folder);
  return path;
}

/** Builds components one after the other, each into its folder, which must be a valid catalog then. The answer are the files.
 *  @throws TerminalError CompositeFailed */
export async function buildComposite(
  components: readonly CompositeComponent[],
  options: CompositeOptions,
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const component of components) {
    try {
      paths.push(await buildComponent(component, options));
    } catch (thrown) {
      const text = `building component "${component.name}": ${errorMessage(thrown)}`;
      throw new TerminalError('CompositeFailed', text, { cause: thrown });
    }
  }
  return paths;
}
