import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Command } from '../../cli/command/index.ts';
import { commands } from '../../cli/commands.ts';
import { runLongshore } from './program.ts';

let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longshore-bad-paths-'));
  await mkdir(join(dir, 'empty'));
  await writeFile(join(dir, 'text'), 'hello\n');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** What a path of a user may lead to, instead of what the command expects. */
const places = ['absent', 'empty', 'text', 'text/below'];
/** Codes and calls of Node.js, files of the program; not RukPak's words where an explanation follows. */
const internals =
  /\b(E(NOENT|NOTDIR|ISDIR|EXIST|INVAL|NOTEMPTY|ACCES|BADF)|scandir|lstat|syscall|errno|node:\w+|at \w+ \(|\w+\.ts:\d|undefined|\[object )|readdir (?!manifests: file does not exist: expected a directory)/;

/** Options that many commands share are tried with the first of them. */
const tried = new Set<string>();

/** What a command reads that is in order, so that nothing but its option is wrong. */
function goodPath(command: string): string {
  if (/^(catalog|resolve)/.test(command)) return resolve('examples/catalog/configs');
  return resolve(command.startsWith('release') ? 'examples/release/1.0.0' : 'examples/tide-gauge/v0.1.0');
}

const pathWords = /DIR|FILE|LAYOUT|OLD|NEW|RELEASE|GRAPH/;

/** A value for an argument, such as `[DIR|FILE|REF]`. */
function argument(positional: string, path: string): string {
  const word = positional.replace(/[[\].]/g, '');
  if (/^[a-z-]+(\|[a-z-]+)*$/.test(word)) return word.split('|')[0] ?? '';
  if (pathWords.test(word)) return path;
  return word === 'REF' ? 'localhost:1/x:v1' : 'name';
}

/** Argument lists of a command that have `place` where it takes a path. */
function linesOf({ name, positionals = [], options }: Command, place: string): readonly (readonly string[])[] {
  const words = name.split(' ');
  const given = (path: string): readonly string[] => positionals.map((each) => argument(each, path));
  const pathOptions = Object.entries(options).filter(([option, { placeholder = '' }]) => {
    const isPath = /FILE|DIR|FOLDER|^PATH$/.test(placeholder);
    const key = `${option} ${placeholder} ${place}`;
    if (!isPath || tried.has(key)) return false;
    tried.add(key);
    return true;
  });
  return [
    ...(positionals.some((each) => pathWords.test(each)) ? [[...words, ...given(place)]] : []),
    ...pathOptions.map(([option, { placeholder = '' }]) => {
      const prefix = /^[A-Z]+=/.test(placeholder) ? 'name=' : '';
      return [...words, ...given(goodPath(name)), `--${option}=${prefix}${place}`];
    }),
  ];
}

const withPaths = commands.filter(
  ({ isServer = false, isRaw = false, name }) => !isServer && !isRaw && name !== 'demo',
);

test('every command that takes a path reports a wrong one in words, without internals of the program', async () => {
  const env = { KUBECONFIG: join(dir, 'no-kubeconfig'), NO_COLOR: '1' };
  const found: string[] = [];
  let failed = 0;
  for (const command of withPaths) {
    for (const line of places.flatMap((place) => linesOf(command, place))) {
      const { code, stdout, stderr } = await runLongshore(line, { cwd: dir, env });
      // Some commands make the folder that they are to write to.
      await rm(join(dir, 'absent'), { recursive: true, force: true });
      await rm(join(dir, 'name'), { recursive: true, force: true });
      if (code !== 0) failed += 1;
      const bad = `${stdout}\n${stderr}`.split('\n').find((text) => internals.test(text));
      if (bad !== undefined) found.push(`longshore ${line.join(' ')}: ${bad}`);
      if (code !== 0 && `${stdout}${stderr}`.trim() === '')
        found.push(`longshore ${line.join(' ')}: status ${code} without a word`);
    }
  }
  expect(found).toEqual([]);
  expect(failed).toBeGreaterThan(100);
});
