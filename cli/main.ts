import { errorMessage, TerminalError } from '../src/base/index.ts';
import { type Command, commands, findCommand } from './commands/index.ts';
import { formatOptions, parseOptions } from './options.ts';

const helpWords: ReadonlySet<string> = new Set(['--help', '-h', 'help']);

function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length)) + 3;
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}${command.summary}`);
  return `longshore: bundles of Kubernetes content, unpacked, installed and guarded

Usage: longshore COMMAND [OPTIONS]

${lines.join('\n')}

longshore COMMAND --help tells more of one command.`;
}

function usage(command: Command): string {
  const options = command.options.length === 0 ? '' : `\n\n${formatOptions(command.options)}`;
  const words = [command.name, ...(command.positionals ?? []), ...(command.options.length === 0 ? [] : ['[OPTIONS]'])];
  return `Usage: longshore ${words.join(' ')}\n\n${command.summary}${options}`;
}

function argumentProblem(wanted: readonly string[], given: readonly string[]): string | undefined {
  const missing = wanted[given.length];
  if (missing !== undefined) return `${missing} is missing`;
  const extra = given[wanted.length];
  return extra === undefined ? undefined : `unexpected argument "${extra}"`;
}

async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || helpWords.has(name)) {
    process.stdout.write(`${overview()}\n`);
    return 0;
  }
  const command = findCommand(name === '--version' ? 'version' : name);
  if (command === undefined) {
    process.stderr.write(`longshore: unknown command "${name}"\n\n${overview()}\n`);
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(`${usage(command)}\n`);
    return 0;
  }
  const parsed = parseOptions(command.options, rest, process.env);
  const problem = argumentProblem(command.positionals ?? [], parsed.positionals);
  if (problem !== undefined) {
    process.stderr.write(`longshore ${command.name}: ${problem}\n\n${usage(command)}\n`);
    return 2;
  }
  return await command.run(parsed.values, parsed.positionals);
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`longshore: ${errorMessage(thrown)}\n`);
  process.exitCode = thrown instanceof TerminalError && thrown.reason === 'InvalidOption' ? 2 : 1;
}
