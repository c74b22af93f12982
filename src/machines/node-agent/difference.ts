import type { MachineConfigSpec } from '../../api/index.ts';
import { isJsonEqual, type JsonObject, type JsonValue, objectAt } from '../../base/index.ts';
import type { NodeConfig, NodeFile, NodeUnit } from './node-config.ts';

/** What follows a change of files and units. */
export interface DisruptionAction {
  readonly type: 'None' | 'Drain' | 'DaemonReload' | 'Reload' | 'Restart' | 'Reboot';
  readonly unit?: string;
}

/** What an update of a node changes, and what that needs. */
export interface NodeDifference {
  /** Paths of files that are written or removed. */
  readonly files: readonly string[];
  /** Names of units that are. */
  readonly units: readonly string[];
  readonly areArgumentsChanged: boolean;
  readonly needsDrain: boolean;
  readonly needsReboot: boolean;
  /** Units that are reloaded and restarted where no reboot is needed. */
  readonly actions: readonly DisruptionAction[];
  /** Why the node cannot be brought to the configuration; undefined if it can. */
  readonly unreconcilable: string | undefined;
}

const reboot: readonly DisruptionAction[] = [{ type: 'Reboot' }];

/** Files whose changes the kubelet or the container runtime notices, or is notified of. */
const knownFiles: Readonly<Record<string, readonly DisruptionAction[]>> = {
  '/etc/kubernetes/kubelet-ca.crt': [{ type: 'None' }],
  '/var/lib/kubelet/config.json': [{ type: 'None' }],
  '/etc/containers/policy.json': [{ type: 'Reload', unit: 'crio.service' }],
  '/etc/containers/registries.conf': [{ type: 'Drain' }, { type: 'Reload', unit: 'crio.service' }],
};

function isSameFile(a: NodeFile | undefined, b: NodeFile | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.mode === b.mode && a.uid === b.uid && a.gid === b.gid && a.content.equals(b.content);
}

function isSameUnit(a: NodeUnit | undefined, b: NodeUnit | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const dropins = (unit: NodeUnit): JsonValue => [...unit.dropins].map(([name, text]) => [name, text]);
  const isSameState = a.isEnabled === b.isEnabled && a.isMasked === b.isMasked;
  return isSameState && a.content === b.content && isJsonEqual(dropins(a), dropins(b));
}

function changed<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  isSame: (a: T | undefined, b: T | undefined) => boolean,
): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => !isSame(before.get(key), after.get(key)));
}

type Rules = NonNullable<MachineConfigSpec['nodeDisruption']>;

function ruleFor(rules: Rules, kind: 'path' | 'unit', name: string): readonly DisruptionAction[] | undefined {
  const isFor = (rule: Rules[number]): boolean => {
    const own = rule[kind];
    return own !== undefined && (own === name || (kind === 'path' && name.startsWith(`${own}/`)));
  };
  // The longest path is the most specific one.
  const found = rules.filter(isFor).toSorted((a, b) => (b[kind]?.length ?? 0) - (a[kind]?.length ?? 0))[0];
  return found?.actions as readonly DisruptionAction[] | undefined;
}

function hasContent(value: JsonValue | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasContent);
  return value !== undefined && value !== null && value !== '';
}

/** Sections that are only read when a node is installed. An empty one is the same as none: tools write `ignition.config: {}`. */
function unreconcilable(before: JsonObject, after: JsonObject): string | undefined {
  const parts = [
    ['storage', 'directories'],
    ['storage', 'links'],
    ['storage', 'disks'],
    ['storage', 'filesystems'],
    ['storage', 'raid'],
    ['storage', 'luks'],
    ['passwd'],
    ['kernelArguments'],
    ['ignition', 'config'],
    ['ignition', 'security'],
    ['ignition', 'proxy'],
    ['ignition', 'timeouts'],
  ] as const;
  const valueOf = (config: JsonObject, path: readonly string[]): JsonValue => {
    const value = objectAt(config, ...path.slice(0, -1))?.[path.at(-1) ?? ''];
    return hasContent(value) ? (value ?? null) : null;
  };
  const part = parts.find((path) => !isJsonEqual(valueOf(before, path), valueOf(after, path)));
  return part === undefined
    ? undefined
    : `ignition ${part.join('.')} section contains changes, which are applied only when a node is installed`;
}

function imageProblem(before: MachineConfigSpec, after: MachineConfigSpec): string | undefined {
  const isChanged = (member: 'osImageURL' | 'kernelType' | 'fips'): boolean =>
    String(before[member] ?? '') !== String(after[member] ?? '');
  if (isChanged('fips')) return 'detected change to FIPS flag; refusing to modify FIPS on a running cluster';
  const member = (['osImageURL', 'kernelType'] as const).find(isChanged);
  if (member === undefined) return undefined;
  return `${member} changes from "${String(before[member] ?? '')}" to "${String(after[member] ?? '')}", which this host cannot apply`;
}

function actionsFor(rules: Rules, files: readonly string[], units: readonly string[]): readonly DisruptionAction[] {
  const known = (path: string) => (Object.hasOwn(knownFiles, path) ? knownFiles[path] : undefined);
  return [
    ...files.flatMap((path) => ruleFor(rules, 'path', path) ?? known(path) ?? reboot),
    ...units.flatMap((name) => ruleFor(rules, 'unit', name) ?? reboot),
  ];
}

function problemOf(
  before: MachineConfigSpec,
  after: MachineConfigSpec,
  images: string | undefined,
): string | undefined {
  return unreconcilable(before.config ?? {}, after.config ?? {}) ?? images;
}

/** What an update changes on a node, and what that needs. A change without a rule needs a drain and a reboot.
 *  @see docs/spec/machine-lifecycle.md#work-on-one-node */
export function differenceOf(before: NodeConfig, after: NodeConfig, canChangeImages: boolean): NodeDifference {
  const files = changed(before.files, after.files, isSameFile);
  const units = changed(before.units, after.units, isSameUnit);
  const areArgumentsChanged = !isJsonEqual([...before.kernelArguments], [...after.kernelArguments]);
  const rules = [...(after.spec.nodeDisruption ?? [])] as Rules;
  const actions = [...actionsFor(rules, files, units), ...(areArgumentsChanged ? reboot : [])];
  const images = imageProblem(before.spec, after.spec);
  const isImageChange = images !== undefined && canChangeImages;
  const needsReboot = isImageChange || actions.some(({ type }) => type === 'Reboot');
  return {
    files,
    units,
    areArgumentsChanged,
    needsReboot,
    needsDrain: needsReboot || actions.some(({ type }) => type === 'Drain'),
    actions: needsReboot ? [] : actions.filter(({ type }) => type !== 'None' && type !== 'Drain'),
    unreconcilable: problemOf(before.spec, after.spec, canChangeImages ? undefined : images),
  };
}
