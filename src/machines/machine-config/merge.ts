import {
  type MachineConfig,
  type MachineConfigSpec,
  machineConfigRoleLabel,
  nodeUpdateAnnotations,
  poolNames,
} from '../../api/index.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import { checkCount, checkIgnition, checkKernelArguments } from './ignition.ts';

/** The newest version of Ignition that a rendered configuration names. */
const ignitionVersion = '3.5.0';
const kernelTypes = { default: 'default', others: ['realtime', '64k-pages'] } as const;
/** Lists of Ignition whose items are the same by this member. All others are replaced as a whole. */
const keys: Readonly<Record<string, string>> = {
  files: 'path',
  directories: 'path',
  links: 'path',
  units: 'name',
  dropins: 'name',
  users: 'name',
  groups: 'name',
};
const joined: readonly string[] = ['append', 'sshAuthorizedKeys', 'shouldExist', 'shouldNotExist'];

function byName(a: MachineConfig, b: MachineConfig): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

function isWorkerConfig({ metadata }: MachineConfig): boolean {
  return metadata.labels?.[machineConfigRoleLabel] === poolNames.worker;
}

/** The order in which configurations are merged: those of all workers first, so that those of custom pools win; by name. */
export function mergeOrder(configs: readonly MachineConfig[]): readonly MachineConfig[] {
  const sorted = configs.toSorted(byName);
  return [...sorted.filter(isWorkerConfig), ...sorted.filter((config) => !isWorkerConfig(config))];
}

function mergeLists(key: string, before: readonly JsonValue[], after: readonly JsonValue[]): JsonValue[] {
  if (joined.includes(key)) return [...new Set([...before, ...after])];
  const identity = keys[key];
  if (identity === undefined) return [...after];
  const idOf = (item: JsonValue): string => textAt(isJsonObject(item) ? item : undefined, identity);
  const merged = new Map(before.map((item) => [idOf(item), item]));
  for (const item of after) {
    const old = merged.get(idOf(item));
    merged.set(idOf(item), old === undefined ? item : mergeValues(key, old, item));
  }
  return [...merged.values()];
}

function mergeValues(key: string, before: JsonValue | undefined, after: JsonValue): JsonValue {
  if (Array.isArray(before) && Array.isArray(after)) return mergeLists(key, before, after);
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  // What belongs to replaced contents, their compression, goes with them.
  const base = key === 'contents' && after['source'] !== undefined ? {} : before;
  const merged = Object.entries(after).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, mergeValues(name, base[name], value)] as const],
  );
  return { ...base, ...Object.fromEntries(merged) };
}

/** Entries of other kinds at the paths of `after` give way. */
function withoutReplaced(before: JsonObject, after: JsonObject): JsonObject {
  const storage = objectAt(before, 'storage');
  if (storage === undefined) return before;
  const kinds = ['files', 'directories', 'links'] as const;
  const pathsOf = (kind: string): string[] =>
    objectsAt(objectAt(after, 'storage'), kind).map((item) => textAt(item, 'path'));
  const lists = kinds
    .filter((kind) => storage[kind] !== undefined)
    .map((kind) => {
      const others = new Set(kinds.filter((other) => other !== kind).flatMap(pathsOf));
      return [kind, objectsAt(storage, kind).filter((item) => !others.has(textAt(item, 'path')))] as const;
    });
  return { ...before, storage: { ...storage, ...Object.fromEntries(lists) } };
}

/** Merges Ignition documents: items of the same path or name are one, and later members win.
 *  @throws TerminalError InvalidConfig */
function mergeIgnition(configs: readonly JsonObject[]): JsonObject {
  let merged: JsonObject = {};
  for (const config of configs) {
    checkIgnition(config);
    merged = mergeValues('', withoutReplaced(merged, config), config) as JsonObject;
    // Each merge copies what was merged before: what no node can have is refused before it has taken long.
    checkCount(merged);
  }
  const ignition = { ...objectAt(merged, 'ignition'), version: ignitionVersion };
  const storage = objectAt(merged, 'storage');
  if (storage?.['files'] === undefined) return { ...merged, ignition };
  const files = objectsAt(storage, 'files').map((file) => ({ overwrite: true, ...file }));
  return { ...merged, ignition, storage: { ...storage, files } };
}

function lastOf(configs: readonly MachineConfig[], member: 'osImageURL' | 'baseOSExtensionsContainerImage'): string {
  const own = configs.filter(
    ({ metadata }) => (metadata.annotations?.[nodeUpdateAnnotations.generatedBy] ?? '') === '',
  );
  return own.map(({ spec }) => spec?.[member] ?? '').findLast((value) => value !== '') ?? '';
}

function kernelTypeOf(configs: readonly MachineConfig[]): string {
  const others: readonly string[] = kernelTypes.others;
  for (const { metadata, spec } of configs) {
    const { kernelType = '' } = spec ?? {};
    if (kernelType !== '' && kernelType !== kernelTypes.default && !others.includes(kernelType)) {
      throw new TerminalError(
        'InvalidConfig',
        `MachineConfig ${metadata.name}: kernelType=${kernelType.slice(0, 40)} is invalid`,
      );
    }
  }
  return (
    configs.map(({ spec }) => spec?.kernelType ?? '').findLast((type) => others.includes(type)) ?? kernelTypes.default
  );
}

function checked(config: MachineConfig): JsonObject {
  try {
    checkKernelArguments(config.spec?.kernelArguments ?? []);
    checkIgnition(config.spec?.config ?? {});
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    throw new TerminalError('InvalidConfig', `MachineConfig ${config.metadata.name}: ${message}`, { cause: thrown });
  }
  return config.spec?.config ?? {};
}

/** Merges the configurations of a pool into one. Arguments and extensions are joined, later files and images win.
 *  @throws TerminalError InvalidConfig, which names the configuration
 *  @see docs/spec/machine-lifecycle.md#objects */
export function mergeConfigs(configs: readonly MachineConfig[]): MachineConfigSpec {
  const ordered = mergeOrder(configs);
  const kernelType = kernelTypeOf(ordered);
  const extensions = ordered.flatMap(({ spec }) => spec?.extensions ?? []);
  if (kernelType !== kernelTypes.default && extensions.includes('kernel-devel')) {
    const message = `installing kernel-devel extension is not supported with kernelType: ${kernelType}`;
    throw new TerminalError('InvalidConfig', message);
  }
  const kubernetesVersion = ordered.map(({ spec }) => spec?.kubernetesVersion ?? '').findLast((value) => value !== '');
  const nodeDisruption = ordered.flatMap(({ spec }) => spec?.nodeDisruption ?? []);
  return {
    baseOSExtensionsContainerImage: lastOf(ordered, 'baseOSExtensionsContainerImage'),
    config: mergeIgnition(ordered.map(checked)),
    extensions,
    fips: ordered.some(({ spec }) => spec?.fips === true),
    kernelArguments: ordered.flatMap(({ spec }) => spec?.kernelArguments ?? []),
    kernelType,
    osImageURL: lastOf(ordered, 'osImageURL'),
    ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }),
    ...(nodeDisruption.length === 0 ? {} : { nodeDisruption }),
  };
}
