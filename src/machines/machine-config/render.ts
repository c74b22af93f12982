import {
  type MachineConfig,
  type MachineConfigPool,
  type MachineConfigSpec,
  machineConfigPoolResource,
  machineConfigResource,
  nodeUpdateAnnotations,
} from '../../api/index.ts';
import { type JsonObject, sha256Digest, sortedKeys, TerminalError } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { mergeConfigs, mergeOrder } from './merge.ts';

/** Under the limit of etcd for one object. */
const maxRenderedBytes = 1024 * 1024;
const hashLength = 32;

function hashOf(spec: MachineConfigSpec): string {
  return sha256Digest(JSON.stringify(sortedKeys(spec as unknown as JsonObject))).slice(7, 7 + hashLength);
}

/** `rendered-<pool>-<hash>`: the same content has the same name. */
function renderedName(pool: string, spec: MachineConfigSpec): string {
  return `rendered-${pool}-${hashOf(spec)}`;
}

/** Whether the content is what the name stands for: it was not changed since it was rendered. */
export function isIntact({ metadata, spec = {} }: MachineConfig): boolean {
  return metadata.name.startsWith('rendered-') && metadata.name.endsWith(`-${hashOf(spec)}`);
}

/** Versions that a rendered configuration is made by. */
export interface RenderVersions {
  readonly controller: string;
  /** Of the release; empty where there is none. */
  readonly release: string;
}

/** Renders the configuration of a pool.
 *  @throws TerminalError InvalidConfig */
export function renderConfig(
  pool: MachineConfigPool,
  configs: readonly MachineConfig[],
  { controller, release }: RenderVersions,
): KubeObject {
  const spec = mergeConfigs(configs);
  const bytes = Buffer.byteLength(JSON.stringify(spec));
  if (bytes > maxRenderedBytes) {
    const message = `the merged configuration has ${bytes} bytes, at most ${maxRenderedBytes} are possible; make files smaller or compress them`;
    throw new TerminalError('InvalidConfig', message);
  }
  const { apiVersion, kind } = machineConfigPoolResource;
  const { name, uid = '' } = pool.metadata;
  return {
    apiVersion: machineConfigResource.apiVersion,
    kind: machineConfigResource.kind,
    metadata: {
      name: renderedName(name, spec),
      annotations: { [nodeUpdateAnnotations.generatedBy]: controller, [nodeUpdateAnnotations.releaseVersion]: release },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: spec as unknown as JsonObject,
  };
}

/** `spec.configuration` of a pool whose rendered configuration has the name. */
export function configurationOf(name: string, configs: readonly MachineConfig[]): JsonObject {
  const { apiVersion, kind } = machineConfigResource;
  const source = mergeOrder(configs).map(({ metadata }) => ({ apiVersion, kind, name: metadata.name }));
  return { name, source };
}
