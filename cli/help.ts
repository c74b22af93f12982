import { type Command, commands } from './commands/index.ts';
import { formatOptions } from './options.ts';

function lines(shown: readonly Command[]): string {
  const width = Math.max(...shown.map((command) => command.name.length)) + 3;
  return shown.map((command) => `  ${command.name.padEnd(width)}${command.summary}`).join('\n');
}

/** What `longshore --help` prints. */
export function overview(): string {
  return `longshore: bundles of Kubernetes content, unpacked, installed and guarded

Usage: longshore COMMAND [OPTIONS]

${lines(commands.filter(({ isHidden }) => isHidden !== true))}

longshore COMMAND --help tells more of one command.`;
}

/** The commands whose name begins with a word: `bundle` has several. */
export function groupOf(word: string): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${word} `));
}

/** What `longshore WORD --help` prints for the first word of several commands. */
export function groupOverview(word: string): string {
  return `Usage: longshore ${word} COMMAND [OPTIONS]\n\n${lines(groupOf(word))}`;
}

/** What `longshore COMMAND --help` prints. */
export function usage(command: Command): string {
  const options = command.options.length === 0 ? '' : `\n\n${formatOptions(command.options)}`;
  const words = [command.name, ...(command.positionals ?? []), ...(command.options.length === 0 ? [] : ['[OPTIONS]'])];
  const description = command.description === undefined ? '' : `\n\n${command.description}`;
  const examples = command.examples.map((example) => `  longshore ${example}`).join('\n');
  return `Usage: longshore ${words.join(' ')}\n\n${command.summary}${description}${options}\n\nExamples:\n${examples}`;
}

/** The help of all commands that the overview names, as a chapter of a document. */
export function helpChapter(): string {
  const shown = commands.filter(({ isHidden }) => isHidden !== true);
  return shown.map((command) => `### longshore ${command.name}\n\n\`\`\`text\n${usage(command)}\n\`\`\`\n`).join('\n');
}
