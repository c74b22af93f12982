import { typeOf } from '../controllers/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';

/** A Warning about an object. */
interface Warning {
  readonly as: string;
  readonly component: string;
  readonly reason: string;
  readonly message: string;
}

/** Writes one Event for an object, whatever number of tries. */
export async function reportOnce(cluster: Cluster, object: KubeObject, warning: Warning): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const { namespace = '', name = '', uid = '' } = metadata;
  const events = typeOf(cluster, 'events');
  const key = { namespace, name: `${name.slice(0, 200)}.${uid}` };
  if (cluster.get(events, key) !== undefined) return;
  const { as, component, reason, message } = warning;
  const event: KubeObject = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: key,
    involvedObject: { apiVersion, kind, namespace, name, uid },
    type: 'Warning',
    reason,
    message,
    source: { component },
    reportingComponent: component,
    count: 1,
  };
  await cluster.create(events, event, { as });
}
