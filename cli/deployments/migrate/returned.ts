import { subscriptionResource } from '../../../src/api/index.ts';
import { isJsonObject, type JsonObject, objectAt, parseJson, TerminalError, textAt } from '../../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/index.ts';

/** On a Subscription until the migration is complete: the BundleDeployment that it continues, in JSON. */
export const continuesAnnotation = 'olm.longshore.dev/continues';

/** The BundleDeployment that a Subscription continues. */
export interface Continued {
  readonly name: string;
  readonly uid: string;
}

/** What a Subscription continues; undefined for one that no migration made, or whose migration is complete. */
export function continuedBy({ metadata }: KubeObject): Continued | undefined {
  const text = metadata.annotations?.[continuesAnnotation];
  if (text === undefined) return undefined;
  try {
    const value = parseJson(continuesAnnotation, text);
    if (!isJsonObject(value)) return undefined;
    const [name, uid] = [textAt(value, 'name'), textAt(value, 'uid')];
    return name === '' || uid === '' ? undefined : { name, uid };
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

/** The Subscription to a package whose migration was begun. */
export async function begunSubscription(kube: KubeClient, packageName: string): Promise<KubeObject | undefined> {
  const { items } = await kube.list(subscriptionResource);
  const found = items.find(
    (one) =>
      continuedBy(one) !== undefined && textAt(objectAt(one as unknown as JsonObject, 'spec'), 'name') === packageName,
  );
  const { apiVersion, kind } = subscriptionResource;
  return found && { ...found, apiVersion, kind };
}
