import type { ClusterServiceVersion, ClusterServiceVersionSpec } from '../../../api/index.ts';

/** A webhook as the ClusterServiceVersion describes it. */
export type WebhookDescription = NonNullable<ClusterServiceVersionSpec['webhookdefinitions']>[number];

/** An owned API of an extension API server as the ClusterServiceVersion describes it. */
export type ApiDescription = NonNullable<
  NonNullable<ClusterServiceVersionSpec['apiservicedefinitions']>['owned']
>[number];

/** The APIs that Deployments of the operator serve as extension API servers. */
export function ownedApiServices({ spec }: ClusterServiceVersion): readonly ApiDescription[] {
  return spec.apiservicedefinitions?.owned ?? [];
}

/** The webhooks that Deployments of the operator serve. */
export function webhooksOf({ spec }: ClusterServiceVersion): readonly WebhookDescription[] {
  return spec.webhookdefinitions ?? [];
}

/** Whether the operator needs certificates: it serves an API or a webhook. */
export function needsServing(csv: ClusterServiceVersion): boolean {
  return ownedApiServices(csv).length > 0 || webhooksOf(csv).length > 0;
}
