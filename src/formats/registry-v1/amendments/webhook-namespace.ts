import { type Amendment, eachOfKind, without } from './amendment.ts';

/** Webhook configurations are cluster-scoped. */
export const webhookNamespace: Amendment = {
  name: 'webhook-namespace',
  reason: 'A namespace on a cluster-scoped object makes appliers and pruning look for it in the wrong place.',
  amend: (objects) =>
    eachOfKind(objects, ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'], (object) => ({
      ...object,
      metadata: without(object.metadata, 'namespace'),
    })),
};
