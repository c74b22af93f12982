import { sharerOf } from '../../core/index.ts';
import { checkAccess } from '../access.ts';
import type { ResourceCall } from '../api-parts.ts';
import type { Reply } from '../exchange.ts';
import { type LocalAddress, serveTunnel, type TunnelTarget, upgradeToTunnel } from '../port-forward/index.ts';
import { readObject } from '../read-handlers.ts';
import { admitStream, nothingRuns } from './pods.ts';

/** Where a port of the pod is, unless the pod was replaced or deleted since. */
function addressOf({ parts, type, request }: ResourceCall, uid: string, port: number): LocalAddress {
  const { namespace, name } = request;
  const pod = parts.store.get(type.storageKey, `${namespace}/${name}`)?.object;
  if (pod?.metadata.uid !== uid) throw new Error(`pod ${namespace}/${name} of this uid does not exist any more`);
  const ports = parts.podPorts.of(uid);
  const found = ports?.get(port);
  if (found !== undefined) return found;
  const others = [...(ports?.keys() ?? [])].join(', ');
  throw new Error(`nothing listens on this port of the pod; ports in use: ${others === '' ? 'none' : others}`);
}

/** Forwards connections to the ports of a pod that a program of this process stands behind. */
export async function forwardPorts(call: ResourceCall): Promise<Reply | undefined> {
  const { parts, exchange, request, user } = call;
  // A WebSocket begins with GET, which must not make of readers those who connect.
  checkAccess(parts.authorizer, user, { ...request, verb: 'create' });
  await admitStream(call);
  const { name = '', uid = '' } = readObject(call).metadata;
  if (parts.podPorts.of(uid) === undefined) throw nothingRuns(call);
  const counted = parts.portForwards.beginTunnel(sharerOf(user));
  try {
    const transport = await upgradeToTunnel(exchange);
    const target: TunnelTarget = {
      pod: { name, uid },
      addressOf: (port) => addressOf(call, uid, port),
      limits: parts.portForwards,
      signal: parts.shutdown,
    };
    void serveTunnel(transport, target).finally(() => counted[Symbol.dispose]());
  } catch (thrown) {
    counted[Symbol.dispose]();
    throw thrown;
  }
  return undefined;
}
