import { nodeUpdateAnnotations } from '../../src/api/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../src/kube/index.ts';

const user = { fieldManager: 'test' };
const apiVersion = 'machineconfiguration.openshift.io/v1';
const keys = nodeUpdateAnnotations;

/** State of a node of a pool. */
export interface PoolNodeOptions {
  /** Default `worker`. */
  readonly role?: string | readonly string[];
  readonly zone?: string;
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly current?: string;
  readonly desired?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly created?: string;
  readonly unschedulable?: boolean;
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
  readonly conditions?: readonly JsonObject[];
}

function labelsOf({ role = 'worker', zone, labels = {} }: PoolNodeOptions): Record<string, string> {
  const roles = typeof role === 'string' ? [role] : role;
  const own = Object.fromEntries(roles.map((one) => [`node-role.kubernetes.io/${one}`, '']));
  return { ...own, ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }), ...labels };
}

function agentAnnotations({
  current,
  desired = current,
  state = 'Done',
  reason,
}: PoolNodeOptions): Record<string, string> {
  const own = { [keys.currentConfig]: current ?? '', [keys.desiredConfig]: desired ?? '', [keys.state]: state };
  return { ...(current === undefined ? {} : own), ...(reason === undefined ? {} : { [keys.reason]: reason }) };
}

/** A Node with the annotations of its agent. `desired` is by default `current`, and `state` is Done. */
export function poolNodeObject(name: string, options: PoolNodeOptions = {}): KubeObject {
  const { ready = 'True', created, conditions = [], annotations } = options;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      ...(created === undefined ? {} : { creationTimestamp: created }),
      labels: labelsOf(options),
      annotations: { ...agentAnnotations(options), ...annotations },
    },
    spec: options.unschedulable === true ? { unschedulable: true } : {},
    status: { conditions: [{ type: 'Ready', status: ready }, ...conditions] },
  };
}

/** A pool of the nodes and configurations of its role. */
export function poolObject(name: string, spec: JsonObject = {}): KubeObject {
  return {
    apiVersion,
    kind: 'MachineConfigPool',
    metadata: { name },
    spec: {
      machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': name } },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
      ...spec,
    },
  };
}

/** The content of a MachineConfig with files. */
export function filesConfig(files: Readonly<Record<string, string>>): JsonObject {
  const list = Object.entries(files).map(([path, text]) => ({
    path,
    mode: 0o644,
    contents: { source: `data:,${encodeURIComponent(text)}` },
  }));
  return { ignition: { version: '3.4.0' }, storage: { files: list } };
}

/** A MachineConfig of a role. */
export function configObject(name: string, role: string, spec: JsonObject = {}): KubeObject {
  const labels = { 'machineconfiguration.openshift.io/role': role };
  return { apiVersion, kind: 'MachineConfig', metadata: { name, labels }, spec };
}

/** Creates a Node with its status. */
export async function createPoolNode(kube: KubeClient, name: string, options: PoolNodeOptions = {}): Promise<void> {
  const { status, ...node } = poolNodeObject(name, options);
  await kube.create(node as KubeObject, user);
  await kube.patch(
    { apiVersion: 'v1', kind: 'Node', name },
    { status: status as JsonObject },
    { ...user, subresource: 'status' },
  );
}

/** Where a pool is. */
export const poolRef = (name: string): { apiVersion: string; kind: string; name: string } => ({
  apiVersion,
  kind: 'MachineConfigPool',
  name,
});
