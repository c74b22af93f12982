import { startNodeAgent } from '../../../manager/index.ts';
import { type LogLevel, systemClock, TerminalError } from '../../../src/base/index.ts';
import { type ClusterAccess, createKubeClient } from '../../../src/kube/index.ts';
import { readAccess } from '../../client/index.ts';
import type { OptionValues } from '../../command/index.ts';
import { openProcessLog, untilStopped } from '../../process/index.ts';
import { accessOwnCluster } from '../../runtime/index.ts';
import type { nodeAgentOptions } from '../options.ts';

type Values = OptionValues<typeof nodeAgentOptions>;

/** The cluster of the kubeconfig; in a pod without one, that of the pod. */
async function accessOf(values: Values): Promise<ClusterAccess> {
  const isPod = values.kubeconfig === undefined && (process.env['KUBERNETES_SERVICE_HOST'] ?? '') !== '';
  return await (isPod ? accessOwnCluster(undefined) : readAccess(values));
}

/** `longshore node-agent` */
export async function nodeAgent(values: Values): Promise<number> {
  const { node = '', root } = values;
  if (node === '') throw new TerminalError('InvalidOption', '--node: name the Node that the agent works on');
  const log = await openProcessLog(values['log-level'] as LogLevel);
  const kube = createKubeClient({ access: await accessOf(values), clock: systemClock });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => kube.close());
  const words = (values['reboot-command'] ?? '').split(' ').filter((word) => word !== '');
  const stopped = untilStopped();
  await using _agent = await startNodeAgent({
    kube,
    clock: systemClock,
    log,
    nodeName: node,
    root,
    rebootCommand: words.length === 0 ? undefined : words,
    runsCommands: values.commands,
  });
  log.info({ node, root }, 'node agent started');
  await stopped;
  return 0;
}
