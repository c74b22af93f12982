import { errorMessage, nearest, printable, TerminalError, TransientError } from '../src/base/index.ts';
import { type Command, optimizeLater, type ParsedOptions, parseOptions } from './command/index.ts';
import { commands, findCommand } from './commands.ts';
import { groupOf, groupOverview, overview, usage, usageLine } from './help.ts';

const helpWords: ReadonlySet<string> = new Set(['--help', '-h', 'help']);

function argumentProblem(expected: readonly string[], given: readonly string[]): string | undefined {
  const missing = expected[given.length];
  if (missing?.startsWith('[') === false) return `${missing} is missing`;
  if (expected.at(-1)?.endsWith('...') === true) return undefined;
  const extra = given[expected.length];
  return extra === undefined ? undefined : `unexpected argument "${extra}"`;
}

/** Unless a command defines another one. */
const misuseStatus = 2;

function misuse(text: string, help: string): number {
  process.stderr.write(`longshore${text}\n\n${help}\n`);
  return misuseStatus;
}

function unknownCommand(args: readonly string[]): number {
  const [word = '', second] = args;
  const group = groupOf(word);
  if (group.length > 0 && second === undefined) return misuse(` ${word}: COMMAND is missing`, groupOverview(word));
  const typed = group.length > 0 ? `${word} ${second}` : word;
  const meant = nearest(
    typed,
    commands.map(({ name }) => name),
  );
  const hint = meant === undefined ? '' : `, did you mean "${meant}"?`;
  const help = group.length > 0 ? `longshore ${word} --help` : 'longshore --help';
  process.stderr.write(
    `longshore: unknown command "${typed}"${hint === '' ? ';' : hint} "${help}" lists all commands\n`,
  );
  return 2;
}

function isHelpRequested(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? args.length : end).some((word) => word === '--help' || word === '-h');
}

/** Undefined when `args` do not ask for help. */
function helpFor(args: readonly string[]): string | undefined {
  const [word, ...others] = args;
  if (word === undefined) return overview();
  const asked = helpWords.has(word) ? others : isHelpRequested(args) ? args : undefined;
  if (asked === undefined || findCommand(asked)?.command.isRaw === true) return undefined;
  const [first] = asked;
  if (first === undefined) return overview();
  const found = findCommand(asked);
  if (found !== undefined) return usage(found.command);
  return groupOf(first).length > 0 ? groupOverview(first) : undefined;
}

/** `--catalog` names the catalog for every command that reads one; some take it as an argument, too. */
function withCatalog({ catalogAt }: Command, { values, positionals }: ParsedOptions): readonly string[] {
  const { catalog } = values;
  if (catalogAt === undefined) return positionals;
  const named: unknown[] = Array.isArray(catalog) ? catalog : [catalog];
  return positionals.toSpliced(catalogAt, 0, ...named.filter((name) => typeof name === 'string'));
}

function isMisuse(thrown: unknown): thrown is TerminalError {
  return thrown instanceof TerminalError && thrown.reason === 'InvalidOption';
}

function failureStatus({ statuses = {}, failureStatus: other = 1 }: Command, thrown: unknown): number {
  const reason = thrown instanceof TerminalError || thrown instanceof TransientError ? thrown.reason : '';
  return Object.hasOwn(statuses, reason) ? (statuses[reason] ?? other) : other;
}

async function runCommand(command: Command, rest: readonly string[]): Promise<number> {
  try {
    return await runParsed(command, rest);
  } catch (thrown) {
    if (!isMisuse(thrown)) throw thrown;
    process.stderr.write(`longshore: ${printable(errorMessage(thrown))}\n`);
    return command.statuses?.['InvalidOption'] ?? misuseStatus;
  }
}

async function runParsed(command: Command, rest: readonly string[]): Promise<number> {
  if (command.isRaw === true) return await command.run({}, rest);
  const parsed = parseOptions(command.options, rest, process.env);
  const positionals = withCatalog(command, parsed);
  const problem = argumentProblem(command.positionals ?? [], positionals);
  if (problem !== undefined) {
    const more = `"longshore ${command.name} --help" shows the options and examples`;
    misuse(` ${command.name}: ${problem}`, `${usageLine(command)}\n${more}`);
    return command.statuses?.['InvalidOption'] ?? misuseStatus;
  }
  if (command.isServer !== true) optimizeLater();
  try {
    return await command.run(parsed.values, positionals);
  } catch (thrown) {
    if (isMisuse(thrown)) throw thrown;
    const { adviceFor } = await import('./advice.ts');
    const advice = adviceFor(thrown);
    const hint = advice === undefined ? '' : `\n  what to do: ${advice}`;
    process.stderr.write(`longshore: ${printable(errorMessage(thrown))}${hint}\n`);
    return failureStatus(command, thrown);
  }
}

async function runWords(args: readonly string[]): Promise<number> {
  const help = helpFor(args);
  if (help !== undefined) {
    process.stdout.write(`${help}\n`);
    return 0;
  }
  const words = args[0] === '--version' ? ['version', ...args.slice(1)] : args;
  const found = findCommand(words);
  if (found === undefined) return unknownCommand(helpWords.has(words[0] ?? '') ? words.slice(1) : words);
  return await runCommand(found.command, found.rest);
}

/** Runs a command line to its end, printing to the process's standard output and error.
 *  @returns the exit status */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    return await runWords(args);
  } catch (thrown) {
    process.stderr.write(`longshore: ${printable(errorMessage(thrown))}\n`);
    return isMisuse(thrown) ? misuseStatus : 1;
  }
}
