import { type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../base/index.ts';
import type { Amendment } from './amendment.ts';

const defaultPort = 443;

/** `holder.clientConfig.service.port`, 443 where it is missing. */
function withPort(holder: JsonObject): JsonObject {
  const clientConfig = objectAt(holder, 'clientConfig');
  const service = objectAt(clientConfig, 'service');
  const port = valueAt(service, 'port');
  if (typeof port !== 'number' || port > 0) return holder;
  return { ...holder, clientConfig: { ...clientConfig, service: { ...service, port: defaultPort } } };
}

/** The port of a webhook that names none is 443, as in its Service. */
export const webhookPorts: Amendment = {
  name: 'webhook-ports',
  reason: 'A webhook without containerPort would be called on port 0, which the API server refuses.',
  amend: (objects) =>
    objects.map((object) => {
      if (object.kind.endsWith('WebhookConfiguration')) {
        return { ...object, webhooks: objectsAt(object, 'webhooks').map(withPort) };
      }
      const conversion = objectAt(object, 'spec', 'conversion');
      if (object.kind !== 'CustomResourceDefinition' || textAt(conversion, 'strategy') !== 'Webhook') return object;
      const webhook = withPort(objectAt(conversion, 'webhook') ?? {});
      return { ...object, spec: { ...objectAt(object, 'spec'), conversion: { ...conversion, webhook } } };
    }),
};
