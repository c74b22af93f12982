import { type Command, formatOptions } from './command/index.ts';
import { commands } from './commands.ts';

function lines(shown: readonly Command[], minWidth = 0): string {
  const width = Math.max(minWidth, ...shown.map((command) => command.name.length + 3));
  return shown.map((command) => `  ${command.name.padEnd(width)}${command.summary}`).join('\n');
}

/** The commands by purpose; `bundle` stands for all of its commands. */
const purposes: readonly { readonly title: string; readonly words: readonly string[] }[] = [
  { title: 'Try it on this machine', words: ['up', 'demo'] },
  {
    title: 'Install and manage content',
    words: ['run', 'list', 'tree', 'diff', 'history', 'rollback', 'delete', 'content', 'permissions'],
  },
  { title: 'Install operators from catalogs', words: ['operator'] },
  { title: 'Write bundles', words: ['bundle'] },
  { title: 'Use and write catalogs', words: ['catalog', 'resolve'] },
  { title: 'Build and read cluster releases', words: ['release'] },
  { title: 'Update a cluster', words: ['upgrade'] },
  { title: 'Manage machines and nodes', words: ['machine', 'pool'] },
  { title: 'Administer a cluster', words: ['install', 'uninstall', 'doctor', 'controllers', 'webhook', 'node-agent'] },
];
const otherPurpose = 'Other commands';

function purposeOf({ name }: Command): string {
  const [word = ''] = name.split(' ');
  return purposes.find(({ words }) => words.includes(word))?.title ?? otherPurpose;
}

/** A section a purpose, its commands in the order of the table above. */
function sections(): readonly string[] {
  const shown = commands.filter(({ isHidden }) => isHidden !== true);
  const width = Math.max(...shown.map((command) => command.name.length)) + 3;
  return [...purposes, { title: otherPurpose, words: [] }].flatMap(({ title, words }) => {
    const place = ({ name }: Command): number => words.indexOf(name.split(' ')[0] ?? '');
    const members = shown.filter((command) => purposeOf(command) === title).toSorted((a, b) => place(a) - place(b));
    return members.length === 0 ? [] : [`${title}:\n${lines(members, width)}`];
  });
}

/** What `longshore --help` prints. */
export function overview(): string {
  return `longshore unpacks, installs and manages bundles of Kubernetes content

Usage: longshore COMMAND [OPTIONS]

${sections().join('\n\n')}

Use "longshore COMMAND --help" for the options and examples of a command.`;
}

/** The commands whose name begins with a word: `bundle` has several. */
export function groupOf(word: string): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${word} `));
}

/** What `longshore WORD --help` prints for the first word of several commands. */
export function groupOverview(word: string): string {
  return `Usage: longshore ${word} COMMAND [OPTIONS]\n\n${lines(groupOf(word))}`;
}

function hasOptions({ options }: Command): boolean {
  return Object.keys(options).length > 0;
}

/** The first line of `longshore COMMAND --help`. */
export function usageLine(command: Command): string {
  const words = [command.name, ...(command.positionals ?? []), ...(hasOptions(command) ? ['[OPTIONS]'] : [])];
  return `Usage: longshore ${words.join(' ')}`;
}

/** What `longshore COMMAND --help` prints. */
export function usage(command: Command): string {
  const options = hasOptions(command) ? `\n\n${formatOptions(command.options)}` : '';
  const description = command.description === undefined ? '' : `\n\n${command.description}`;
  const examples = command.examples.map((example) => `  longshore ${example}`).join('\n');
  const parts = groupOf(command.name);
  const group = parts.length === 0 ? '' : `\n\nCommands:\n${lines(parts)}`;
  return `${usageLine(command)}\n\n${command.summary}${description}${options}${group}\n\nExamples:\n${examples}`;
}

/** The help of all commands that the overview names, as a chapter of a document. */
export function helpChapter(): string {
  const shown = commands.filter(({ isHidden }) => isHidden !== true);
  return shown.map((command) => `### longshore ${command.name}\n\n\`\`\`text\n${usage(command)}\n\`\`\`\n`).join('\n');
}
