import { type Subscription, subscriptionResource } from '../../../src/api/index.ts';
import { printable } from '../../../src/base/index.ts';
import type { KubeClient } from '../../../src/kube/index.ts';
import { listPackages, openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { createProgress } from '../../output/index.ts';
import { findSubscription } from '../objects.ts';
import { whenReached } from '../wait.ts';
import { approve } from './approve.ts';

type Values = OptionValues<typeof kubeconfigOption> & {
  readonly namespace: string;
  readonly channel: string | undefined;
  readonly yes: boolean;
  readonly timeout: number;
};

/** How long a new head of the channel may take to be planned. That no update leads to it is seen only by waiting. */
const planningMs = 60_000;

/** Whether the channel offers something else than what is installed. */
async function hasOtherHead(
  kube: KubeClient,
  { metadata, spec, status }: Subscription,
  channel: string,
): Promise<boolean> {
  const packages = await listPackages(kube, metadata.namespace ?? '');
  const { name, source, sourceNamespace } = spec;
  const offered = packages.find(
    ({ name: found, catalog }) => found === name && catalog.name === source && catalog.namespace === sourceNamespace,
  );
  const head = offered?.channels.find((candidate) => candidate.name === channel)?.head;
  return head === undefined || head !== status?.installedCSV;
}

async function changeChannel(kube: KubeClient, { metadata, spec }: Subscription, channel: string): Promise<boolean> {
  if (channel === spec.channel) return false;
  const { apiVersion, kind } = subscriptionResource;
  const { namespace = '', name } = metadata;
  await kube.patch({ apiVersion, kind, namespace, name }, { spec: { channel } }, { fieldManager: 'longshore' });
  process.stdout.write(`Subscription ${name} follows channel ${channel}\n`);
  return true;
}

/** `longshore operator upgrade`: approves the upgrade that waits, after a change of the channel where one is named. */
export async function upgrade(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  using line = createProgress(process.stderr, { isQuiet: false });
  const { channel, namespace, timeout: timeoutMs } = values;
  const subscription = await findSubscription(kube, namespace, name);
  const isChanged = channel !== undefined && (await changeChannel(kube, subscription, channel));
  const isAwaited = isChanged && (await hasOtherHead(kube, subscription, channel));
  const settledMs = performance.now() + (isAwaited ? planningMs : 0);
  const { progress } = await whenReached({ kube, timeoutMs, line }, subscription, ({ progress: { state } }) => {
    return state === 'approval' || (state === 'installed' && performance.now() > settledMs);
  });
  line.clear();
  if (progress.state === 'approval') return await approve(values, [subscription.metadata.name]);
  process.stdout.write(`${printable(progress.text)}; no upgrade waits for approval\n`);
  return 0;
}
