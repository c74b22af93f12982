import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseOptions } from '../../cli/command/options.ts';
import { commands } from '../../cli/commands.ts';
import { errorMessage } from '../../src/base/index.ts';
import { fencesOf } from './documents.ts';

/** API cases are recorded, not written. */
const pages = [...globSync('*.md'), ...globSync('docs/**/*.md'), 'examples/README.md'].filter(
  (page) => page !== 'docs/api-conformance.md' && page !== 'CHANGELOG.md',
);
const texts = pages.map((page) => ({ page, text: readFileSync(page, 'utf8') }));

/** What a reader is expected to have, beside Node.js. */
const programs =
  'npm npx node git kubectl longshore docker helm grpcurl export alias for do done cd curl crane oras flux mkdir base64 openssl sha256sum cp ln gpg'.split(
    ' ',
  );

/** The commands of fences that are no transcripts: one a line, or with `\` at the end over several. */
function commandLines(text: string): string[] {
  return fencesOf(text)
    .filter(({ info }) => info === 'sh' || info === 'sh server')
    .flatMap(({ lines }) => lines.join('\n').replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/ #.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Words as a shell splits them, up to a pipe or a redirection; a placeholder is a word. */
function wordsOf(line: string): string[] {
  const [command = ''] = line.split(/ (?:\||&&|&|>|2>) ?/);
  return (command.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []).map((word) => word.replaceAll(/["']/g, ''));
}

/** What is wrong with the arguments of `longshore`. */
function wrongArguments(words: readonly string[]): string | undefined {
  const command = commands
    .filter(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name)
    .toSorted((a, b) => b.name.length - a.name.length)[0];
  if (command === undefined) return words[0]?.startsWith('-') === true ? undefined : 'no such command';
  try {
    parseOptions(command.options, words.slice(command.name.split(' ').length), {});
    return undefined;
  } catch (thrown) {
    return errorMessage(thrown);
  }
}

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

function problemOf(line: string): string | undefined {
  const [program = '', ...rest] = wordsOf(line.replace(/^npx longshore/, 'longshore'));
  if (program === 'longshore') return wrongArguments(rest);
  if (program === 'npm' && rest[0] === 'run')
    return rest[1] !== undefined && rest[1] in scripts ? undefined : 'no script';
  return programs.includes(program) || /^[A-Za-z_]+=/.test(program) ? undefined : `unknown program ${program}`;
}

test('every command that a document shows exists, with its options', () => {
  const lines = texts.flatMap(({ page, text }) => commandLines(text).map((line) => ({ page, line })));
  expect(lines.length).toBeGreaterThan(30);
  const wrong = lines.flatMap(({ page, line }) => {
    const problem = problemOf(line);
    return problem === undefined ? [] : [`${page}: ${line}: ${problem}`];
  });
  expect(wrong).toEqual([]);
});

test('no document names a host that does not exist, unless it is a placeholder in angle brackets', () => {
  const hosts =
    /:\/\/[^\s/<>"'`]*\bexample\.(?:com|org|net)|\b(?:registry|mirror|git|operators|downloads|proxy|private)[\w.-]*\.example\.(?:com|org|net)/g;
  expect(texts.flatMap(({ page, text }) => [...text.matchAll(hosts)].map(([host]) => `${page}: ${host}`))).toEqual([]);
});
