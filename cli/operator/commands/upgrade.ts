import { subscriptionResource } from '../../../src/api/index.ts';
import { openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues } from '../../command/index.ts';
import { explainOperator } from '../explain.ts';
import { findSubscription, operatorOf } from '../objects.ts';
import { approve } from './approve.ts';

type Values = OptionValues<typeof kubeconfigOption> & {
  readonly namespace: string;
  readonly channel: string | undefined;
  readonly yes: boolean;
  readonly timeout: number;
};

/** `longshore operator upgrade`: approves the upgrade that waits, after a change of the channel where one is named. */
export async function upgrade(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  const subscription = await findSubscription(kube, values.namespace, name);
  const { namespace = '', name: subscriptionName } = subscription.metadata;
  if (values.channel !== undefined && values.channel !== subscription.spec.channel) {
    const { apiVersion, kind } = subscriptionResource;
    const ref = { apiVersion, kind, namespace, name: subscriptionName };
    await kube.patch(ref, { spec: { channel: values.channel } }, { fieldManager: 'longshore' });
    process.stdout.write(`Subscription ${subscriptionName} follows channel ${values.channel}\n`);
  }
  const operator = await operatorOf(kube, await findSubscription(kube, namespace, subscriptionName));
  const progress = explainOperator(operator);
  if (progress.state === 'approval') return await approve(values, [subscriptionName]);
  process.stdout.write(`${progress.text}; no upgrade waits for approval\n`);
  return 0;
}
