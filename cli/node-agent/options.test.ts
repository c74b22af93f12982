import { expect, test } from 'vitest';
import { parseOptions } from '../command/index.ts';
import { commands } from '../commands.ts';
import { nodeAgentOptions } from './options.ts';

const commandsOf = (...args: string[]) => parseOptions(nodeAgentOptions, args, {}).values.commands;

test('an agent runs commands of its node unless it may only write files', () => {
  expect(commandsOf()).toBe(true);
  expect(commandsOf('--no-commands')).toBe(false);
});

test('no option of any command is named like the negation of another one, which is what it would be read as', () => {
  const names = commands.flatMap(({ options }) => Object.keys(options ?? {}));
  expect(names.filter((name) => name.startsWith('no-'))).toEqual([]);
});
