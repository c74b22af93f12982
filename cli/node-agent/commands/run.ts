import { startNodeAgent } from '../../../manager/index.ts';
import { type LogLevel, systemClock, TerminalError } from '../../../src/base/index.ts';
import { openKube } from '../../client/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { openProcessLog, untilStopped } from '../../process/index.ts';
import type { nodeAgentOptions } from '../options.ts';

/** `longshore node-agent` */
export async function nodeAgent(values: OptionValues<typeof nodeAgentOptions>): Promise<number> {
  const { node = '', root } = values;
  if (node === '') throw new TerminalError('InvalidOption', '--node: name the Node that the agent works on');
  const log = await openProcessLog(values['log-level'] as LogLevel);
  using kube = await openKube(values);
  const words = (values['reboot-command'] ?? '').split(' ').filter((word) => word !== '');
  const stopped = untilStopped();
  await using _agent = await startNodeAgent({
    kube,
    clock: systemClock,
    log,
    nodeName: node,
    root,
    rebootCommand: words.length === 0 ? undefined : words,
    runsCommands: !values['no-commands'],
  });
  log.info({ node, root }, 'node agent started');
  await stopped;
  return 0;
}
