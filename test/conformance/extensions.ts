import { isJsonObject, type JsonObject, type JsonValue, textAt } from '../../src/base/index.ts';
import { type ExtensionOptions, type ExtensionServer, startExtensionServer } from '../support/extension-server.ts';
import type { Probe } from './probe.ts';

export const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';

/** An extension server of a case, behind a Service of its namespace. */
export interface Extension {
  readonly server: ExtensionServer;
  readonly group: string;
  readonly version: string;
  /** Name of its APIService. */
  readonly name: string;
  readonly root: string;
}

export interface ExtensionPlan {
  readonly group?: string;
  readonly version?: string;
  /** Default `extension`. */
  readonly service?: string;
  readonly server?: Partial<ExtensionOptions>;
  /** Over the spec of the APIService. */
  readonly spec?: JsonObject;
}

/** `Available` of an APIService without its time. */
export function availabilityOf(body: JsonValue): JsonObject | undefined {
  const status = isJsonObject(body) && isJsonObject(body['status']) ? body['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? status['conditions'].filter((one) => isJsonObject(one)) : [];
  return conditions.find(({ type }) => type === 'Available');
}

/** Creates an APIService; the test deletes it. */
export async function register(api: Probe, spec: JsonObject): Promise<string> {
  const name = `${textAt(spec, 'version')}.${textAt(spec, 'group')}`;
  api.cleanUp(`${apiServices}/${name}`);
  const body = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: { groupPriorityMinimum: 1000, versionPriority: 15, ...spec },
  };
  await api.setUp('POST', apiServices, { body });
  return name;
}

/** Waits until the APIService has a reason. */
export async function untilReason(api: Probe, name: string, ...reasons: readonly string[]): Promise<void> {
  await api.eventually(`${apiServices}/${name}`, (body) => reasons.includes(textAt(availabilityOf(body), 'reason')));
}

/** Starts an extension server, and registers it; it ends with the case. */
export async function extend(api: Probe, plan: ExtensionPlan = {}): Promise<Extension> {
  const { group = api.group, version = 'v1' } = plan;
  const service = api.unique(plan.service ?? 'extension');
  const dnsNames = [`${service}.${api.namespace}.svc`];
  const server = await startExtensionServer({ group, version, dnsNames, ...plan.server });
  api.defer(() => server[Symbol.asyncDispose]());
  api.alias(String(server.port), 'port');
  const { namespace } = api;
  const body = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: service },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  };
  await api.setUp('POST', `/api/v1/namespaces/${namespace}/services`, { body });
  const name = await register(api, {
    group,
    version,
    service: { namespace, name: service, port: server.port },
    caBundle: server.caBundle,
    ...plan.spec,
  });
  return { server, group, version, name, root: `/apis/${group}/${version}` };
}

/** Waits until requests are forwarded: some time after the APIService is available. */
export async function untilForwarded(api: Probe, { name, root }: Extension): Promise<void> {
  await untilReason(api, name, 'Passed');
  await api.eventually(root, isJsonObject);
}

/** The same, when requests reach it. */
export async function extendAndWait(api: Probe, plan: ExtensionPlan = {}): Promise<Extension> {
  const extension = await extend(api, plan);
  await untilForwarded(api, extension);
  return extension;
}
