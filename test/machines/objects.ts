import type { JsonObject } from '../../src/base/index.ts';
import type { Action, Target } from './scenario.ts';

const apiVersion = 'machine.openshift.io/v1beta1';
const namespace = 'machines';

/** Names a machine. */
export function machine(name: string): Target {
  return { apiVersion, kind: 'Machine', namespace, name };
}

/** Names an object of another kind. */
export const node = (name: string): Target => ({ apiVersion: 'v1', kind: 'Node', name });
export const pod = (name: string): Target => ({ apiVersion: 'v1', kind: 'Pod', namespace, name });
export const machineSet = (name: string): Target => ({ apiVersion, kind: 'MachineSet', namespace, name });
export const healthCheck = (name: string): Target => ({ apiVersion, kind: 'MachineHealthCheck', namespace, name });

export const clusterLabel: JsonObject = { 'machine.openshift.io/cluster-api-cluster': 'test' };

/** A Machine; members of metadata and spec replace those that it has. */
export function machineObject(name: string, more: { metadata?: JsonObject; spec?: JsonObject } = {}): JsonObject {
  return {
    apiVersion,
    kind: 'Machine',
    metadata: { namespace, name, labels: clusterLabel, ...more.metadata },
    spec: { providerSpec: { value: { size: 'small' } }, ...more.spec },
  };
}

/** A Node of the machine of its name, which runs pods. */
export function nodeOf(
  name: string,
  labels: JsonObject = {},
  ready: 'True' | 'False' | 'Unknown' = 'True',
): JsonObject {
  const now = new Date(Date.now() - 5_000).toISOString().replace(/\.\d+Z$/, 'Z');
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels, annotations: { 'apiserver.longshore.dev/simulate': 'node' } },
    spec: { providerID: `test:///${name}` },
    status: { conditions: [{ type: 'Ready', status: ready, reason: 'Test', message: '', ...times }] },
  };
}

/** A running Pod on a node. */
export function podOn(
  nodeName: string,
  name: string,
  { metadata = {}, spec = {} }: { metadata?: JsonObject; spec?: JsonObject } = {},
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, ...metadata },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: 'example.com/web' }],
      ...spec,
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** The actions that bring a machine to `Running` with a Node. */
export function running(
  name: string,
  more: Parameters<typeof machineObject>[1] = {},
  labels: JsonObject = {},
): Action[] {
  return [
    { apply: machineObject(name, more) },
    { await: { of: machine(name), has: `test:///${name}` } },
    { apply: nodeOf(name, labels) },
    { await: { of: machine(name), has: '"phase":"Running"' } },
  ];
}

/** A MachineSet of machines with the label `set`. */
export function setObject(
  name: string,
  replicas: number,
  { spec = {}, template = {} }: { spec?: JsonObject; template?: JsonObject } = {},
): JsonObject {
  const labels = { ...clusterLabel, set: name };
  return {
    apiVersion,
    kind: 'MachineSet',
    metadata: { namespace, name, labels: clusterLabel },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { providerSpec: { value: { size: 'small' } }, ...template } },
      ...spec,
    },
  };
}

/** A MachineHealthCheck of the machines of a set. */
export function checkObject(
  name: string,
  set: string,
  { spec = {}, metadata = {} }: { spec?: JsonObject; metadata?: JsonObject } = {},
): JsonObject {
  return {
    apiVersion,
    kind: 'MachineHealthCheck',
    metadata: { namespace, name, ...metadata },
    spec: {
      selector: { matchLabels: { set } },
      unhealthyConditions: [{ type: 'Ready', status: 'False', timeout: '1s' }],
      nodeStartupTimeout: '10m',
      ...spec,
    },
  };
}

/** Sets the condition Ready of a Node. */
export function setReady(name: string, status: 'True' | 'False' | 'Unknown'): Action {
  const { status: state } = nodeOf(name, {}, status) as { readonly status: JsonObject };
  return { patch: node(name), merge: { status: state }, subresource: 'status' };
}
