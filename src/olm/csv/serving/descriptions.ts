import type { ClusterServiceVersion, ClusterServiceVersionSpec } from '../../../api/index.ts';
import { type JsonObject, type JsonValue, objectAt, TerminalError, textAt } from '../../../base/index.ts';

/** A webhook as the ClusterServiceVersion describes it. */
export type WebhookDescription = NonNullable<ClusterServiceVersionSpec['webhookdefinitions']>[number];

/** An owned API of an extension API server as the ClusterServiceVersion describes it. */
export type ApiDescription = NonNullable<
  NonNullable<ClusterServiceVersionSpec['apiservicedefinitions']>['owned']
>[number];

/** A Deployment of the operator that serves APIs or webhooks, and the names of what is made for it. */
export interface ServedDeployment {
  readonly name: string;
  readonly namespace: string;
  readonly service: string;
  /** Name of the Secret, and of the Role and the RoleBinding to read it. */
  readonly secret: string;
  /** Service account of the Pods. */
  readonly account: string;
  readonly podLabels: JsonObject;
  /** Of the Service. */
  readonly ports: readonly JsonObject[];
  readonly apis: readonly ApiDescription[];
  readonly webhooks: readonly WebhookDescription[];
}

const defaultPort = 443;

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

/** Name of the APIService of an API. */
export function apiServiceName({ version, group }: ApiDescription): string {
  return `${version}.${group}`;
}

/** Names of Services have no dots. */
export function serviceNameOf(deploymentName: string): string {
  return `${deploymentName.replaceAll('.', '-')}-service`;
}

/** Port of the Service of an API or webhook. */
export function portOf({ containerPort }: ApiDescription | WebhookDescription): number {
  return containerPort !== undefined && containerPort > 0 ? containerPort : defaultPort;
}

function servicePort(description: ApiDescription | WebhookDescription): JsonObject {
  const port = portOf(description);
  const targetPort: JsonValue = ('targetPort' in description ? description.targetPort : undefined) ?? port;
  return { name: String(port), port, protocol: 'TCP', targetPort };
}

function distinct(ports: readonly JsonObject[]): readonly JsonObject[] {
  return [...new Map(ports.map((port) => [JSON.stringify(port), port])).values()];
}

/** Every API and webhook is served by a Deployment of the strategy.
 *  @throws TerminalError InvalidInstallStrategy */
function assertServed(csv: ClusterServiceVersion, names: ReadonlySet<string>): void {
  const described = [
    ...ownedApiServices(csv).map((api) => ({ what: `APIService ${apiServiceName(api)}`, name: api.deploymentName })),
    ...webhooksOf(csv).map((one) => ({ what: `webhook ${one.generateName}`, name: one.deploymentName })),
  ];
  const lost = described.find(({ name = '' }) => !names.has(name));
  if (lost === undefined) return;
  const text = `${lost.what} is to be served by Deployment "${lost.name ?? ''}", which the install strategy does not have`;
  throw new TerminalError('InvalidInstallStrategy', text);
}

/** The Deployments of the operator that serve something.
 *  @throws TerminalError InvalidInstallStrategy when a description names no Deployment of the strategy */
export function servedDeployments(csv: ClusterServiceVersion): readonly ServedDeployment[] {
  const deployments = csv.spec.install.spec?.deployments ?? [];
  assertServed(csv, new Set(deployments.map(({ name }) => name)));
  return deployments.flatMap(({ name, spec }): ServedDeployment[] => {
    const apis = ownedApiServices(csv).filter(({ deploymentName }) => deploymentName === name);
    const webhooks = webhooksOf(csv).filter(({ deploymentName }) => deploymentName === name);
    if (apis.length + webhooks.length === 0) return [];
    const service = serviceNameOf(name);
    const account = textAt(objectAt(spec, 'template', 'spec'), 'serviceAccountName');
    return [
      {
        name,
        namespace: csv.metadata.namespace ?? '',
        service,
        secret: `${service}-cert`,
        account: account === '' ? 'default' : account,
        podLabels: objectAt(spec, 'selector', 'matchLabels') ?? {},
        ports: distinct([...apis, ...webhooks].map(servicePort)),
        apis,
        webhooks,
      },
    ];
  });
}
