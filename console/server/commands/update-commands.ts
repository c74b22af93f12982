import type { Words } from './command.ts';
import { type CommandDefinition, changes, json, reads } from './definition.ts';
import type { Input } from './input.ts';

/** The release that a request asks for: one that the cluster knows by its version, or any other by its image. */
function targetWords(input: Input): readonly string[] {
  const target = input.has('image')
    ? ['--to-image', input.image('image'), '--allow-explicit-upgrade']
    : ['--to', input.version('version')];
  const risks = input.isTrue('acceptsRisks') ? ['--allow-not-recommended'] : [];
  const warnings = input.isTrue('acceptsWarnings') ? ['--allow-upgrade-with-warnings'] : [];
  return ['upgrade', ...target, ...risks, ...warnings];
}

function poolWords(input: Input): Words {
  const args = ['pool', 'status', input.name('name')];
  return { args: [...args, ...json], shown: args };
}

/** Commands about the release of the cluster, pools and machines. */
export const updateCommands: Readonly<Record<string, CommandDefinition>> = {
  upgradeStatus: reads(() => ({ args: ['upgrade', 'status', ...json], shown: ['upgrade', 'status'] })),
  // Reads both releases from their registries.
  upgradeChanges: {
    isChange: false,
    isFetching: true,
    words: (input) => ({ args: [...targetWords(input), '--dry-run', 'server'] }),
  },
  upgrade: changes((input) => ({ args: targetWords(input) })),
  upgradeClear: changes(() => ({ args: ['upgrade', '--clear'] })),
  upgradeAccept: changes((input) => ({
    args: ['upgrade', 'accept', `${input.name('risk')}${input.isTrue('isWithdrawn') ? '-' : ''}`],
  })),
  upgradeChannel: changes((input) => ({
    args: ['upgrade', 'channel', input.name('channel'), '--allow-explicit-channel'],
  })),
  poolStatus: reads(poolWords),
  poolPause: changes((input) => ({ args: ['pool', 'pause', input.name('name')] })),
  poolResume: changes((input) => ({ args: ['pool', 'resume', input.name('name')] })),
  machine: reads((input) => {
    const args = ['machine', 'describe', input.name('name'), '-n', input.name('namespace')];
    return { args: [...args, ...json], shown: args };
  }),
};
