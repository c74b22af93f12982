import { texts } from '../../../texts.ts';
import type { Schema } from '../../../ui/schema/schema.ts';

const quantity = { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$', maxLength: 32 } as const;
const amounts: Schema = {
  type: 'object',
  properties: {
    cpu: { ...quantity, title: 'CPU', description: texts.install.cpuHint },
    memory: { ...quantity, title: texts.install.memory, description: texts.install.memoryHint },
  },
};

/** What users set of the Deployments of an operator: `spec.config` of a Subscription, `deploymentConfig` of a ClusterExtension. */
export const deploymentConfig: Schema = {
  type: 'object',
  properties: {
    env: {
      title: texts.install.env,
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', title: texts.form.name, pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$', maxLength: 253 },
          value: { type: 'string', title: texts.form.value },
        },
      },
    },
    resources: {
      title: texts.install.resources,
      type: 'object',
      properties: {
        requests: { ...amounts, title: texts.install.requests },
        limits: { ...amounts, title: texts.install.limits },
      },
    },
    nodeSelector: {
      title: texts.install.nodeSelector,
      type: 'object',
      additionalProperties: { type: 'string' },
    },
    tolerations: {
      title: texts.install.tolerations,
      type: 'array',
      items: {
        type: 'object',
        properties: {
          key: { type: 'string', title: texts.form.key },
          operator: { type: 'string', title: texts.install.operator, enum: ['Exists', 'Equal'] },
          value: { type: 'string', title: texts.form.value },
          effect: {
            type: 'string',
            title: texts.install.effect,
            enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
          },
        },
      },
    },
  },
};
