import type { JsonObject } from '../../src/base/index.ts';
import { type CsvOptions, csv, deployment } from './objects.ts';

/** Objects of the cluster are named after Deployments, so that these have to differ between scenarios. */
export const servingDeployment = '$id-boat';

/** An owned APIService of a description. */
export function apiService(options: JsonObject = {}): JsonObject {
  return {
    name: '$id-boats',
    group: '$id.example.com',
    version: 'v1',
    kind: 'Boat',
    deploymentName: servingDeployment,
    containerPort: 443,
    ...options,
  };
}

export const boatRule: JsonObject = {
  apiGroups: ['$id.example.com'],
  apiVersions: ['v1'],
  resources: ['boats'],
  operations: ['CREATE'],
};

/** A validating webhook of a description. */
export function webhook(options: JsonObject = {}): JsonObject {
  return {
    type: 'ValidatingAdmissionWebhook',
    generateName: 'w.$id.example.com',
    deploymentName: servingDeployment,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Ignore',
    rules: [boatRule],
    ...options,
  };
}

/** A CSV whose Deployment serves; it owns APIServices, or webhooks and the usual CustomResourceDefinition. */
export function servingCsv(
  {
    apiServices,
    webhooks,
  }: { readonly apiServices?: readonly JsonObject[]; readonly webhooks?: readonly JsonObject[] },
  { spec = {}, install = {}, ...options }: CsvOptions = {},
): JsonObject {
  return csv({
    ...options,
    install: { deployments: [deployment(servingDeployment)], ...install },
    spec: {
      ...(apiServices === undefined
        ? {}
        : { customresourcedefinitions: {}, apiservicedefinitions: { owned: apiServices as JsonObject[] } }),
      ...(webhooks === undefined ? {} : { webhookdefinitions: webhooks as JsonObject[] }),
      ...spec,
    },
  });
}
