/** Completion of command lines by shells. It loads what it needs when it runs.
 *  @imports cli/client, cli/command, src/kube, src/api, src/base */
import { type Command, defineCommand } from '../command/index.ts';

/** In the order of `longshore --help`; `all` returns every command of the program. */
export function completionCommands(all: () => readonly Command[]): readonly Command[] {
  return [
    defineCommand({
      name: 'completion',
      summary: 'Print a shell completion script.',
      description:
        'For bash and zsh: source <(longshore completion bash). For fish: longshore completion fish | source.',
      positionals: ['SHELL'],
      options: {},
      examples: ['completion bash', 'completion zsh', 'completion fish'],
      run: async (_values, positionals) => (await import('./commands/completion.ts')).completion(positionals),
    }),
    defineCommand({
      name: '__complete',
      summary: 'Print completions of the words, for the completion scripts.',
      positionals: ['[WORD]...'],
      options: {},
      examples: ['__complete bundle b'],
      isHidden: true,
      isRaw: true,
      run: async (_values, words) => (await import('./commands/completion.ts')).completeWords(all(), words),
    }),
  ];
}
