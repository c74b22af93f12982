import { bundleCommands } from './bundle/commands.ts';
import { catalogCommands } from './catalog/commands.ts';
import { type Command, defineCommand, outputOption } from './command/index.ts';
import { completionCommands } from './completion/commands.ts';
import { consoleCommands } from './console/commands.ts';
import { controllersCommands } from './controllers/commands.ts';
import { demoCommands } from './demo/commands.ts';
import { deploymentCommands } from './deployments/commands.ts';
import { doctorCommands } from './doctor/commands.ts';
import { installCommands } from './install/commands.ts';
import { machineCommands } from './machine/commands.ts';
import { nodeCommands } from './node/commands.ts';
import { nodeAgentCommands } from './node-agent/commands.ts';
import { operatorCommands } from './operator/commands.ts';
import { poolCommands } from './pool/commands.ts';
import { releaseCommands } from './release/commands.ts';
import { upCommands } from './up/commands.ts';
import { upgradeCommands } from './upgrade/commands.ts';
import { webhookCommands } from './webhook/commands.ts';

const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version and source revision.',
  options: outputOption,
  examples: ['version', 'version -o json'],
  run: async (values) => (await import('./process/index.ts')).version(values),
});

/** All commands, in the order of `longshore --help`. */
export const commands: readonly Command[] = [
  ...upCommands,
  ...demoCommands,
  ...consoleCommands,
  ...deploymentCommands,
  ...operatorCommands,
  ...bundleCommands,
  ...catalogCommands,
  ...releaseCommands,
  ...upgradeCommands,
  ...machineCommands,
  ...poolCommands,
  ...nodeCommands,
  ...installCommands,
  ...controllersCommands,
  ...webhookCommands,
  ...nodeAgentCommands,
  ...doctorCommands,
  versionCommand,
  ...completionCommands(() => commands),
];

const byName: ReadonlyMap<string, Command> = new Map(commands.map((command) => [command.name, command]));

/** The command that `args` begin with, and what follows its name; of several names the longest one. */
export function findCommand(
  args: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined {
  for (const words of [3, 2, 1]) {
    const command = byName.get(args.slice(0, words).join(' '));
    if (command !== undefined && args.length >= words) return { command, rest: args.slice(words) };
  }
  return undefined;
}
