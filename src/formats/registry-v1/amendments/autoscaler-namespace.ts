import { type Amendment, eachOfKind } from './amendment.ts';

/** VerticalPodAutoscalers are namespaced. */
export const autoscalerNamespace: Amendment = {
  name: 'autoscaler-namespace',
  reason: 'The kind is namespaced; without a namespace it would land wherever the applier puts such objects.',
  amend: (objects, { installNamespace }) =>
    eachOfKind(objects, 'VerticalPodAutoscaler', (object) => ({
      ...object,
      metadata: { ...object.metadata, namespace: installNamespace },
    })),
};
