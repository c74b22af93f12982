import { type JsonObject, objectAt, textAt } from '../../../src/base/index.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session } from '../sessions.ts';
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

/** The updates of the channel that the ClusterVersion names, from its update service. */
async function graphWords(input: Input, { kube }: Session): Promise<Words> {
  const version = await kube.get({ apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', name: 'version' });
  const spec = objectAt(version as unknown as JsonObject, 'spec');
  const [upstream, channel] = [textAt(spec, 'upstream'), textAt(spec, 'channel')];
  if (!URL.canParse(upstream) || !/^https?:$/.test(new URL(upstream).protocol) || !/^[\w.-]+$/.test(channel)) {
    throw new ConsoleProblem(409, 'NoUpdateService', {
      message: 'the ClusterVersion names no update service and channel',
      advice: 'set spec.upstream and spec.channel of the ClusterVersion',
    });
  }
  const ends = (['from', 'to'] as const).flatMap((end) => (input.has(end) ? [`--${end}`, input.version(end)] : []));
  const args = ['release', 'graph', 'draw', new URL(upstream).href, '--channel', channel, ...ends];
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
  releaseGraph: { isChange: false, isFetching: true, words: graphWords },
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
