import { type MachineConfig, parseMachineConfig, parseMachineConfigPool } from '../../api/index.ts';
import { isJsonEqual, isSelected, type JsonValue, type LabelSelector, TerminalError } from '../../base/index.ts';
import type { Step } from '../../controller/index.ts';
import { isAlreadyExists, type KubeObject, preconditionOf, refOf } from '../../kube/index.ts';
import { configurationOf, renderConfig } from '../machine-config/render.ts';
import { type PoolRun, poolFieldManager, recordPool } from './context.ts';
import { isEmptySelector } from './membership.ts';

function requirementText({
  key,
  operator,
  values = [],
}: {
  key: string;
  operator: string;
  values?: readonly string[];
}): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.toSorted().join(',')})`;
}

function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => [key, `${key}=${value}`] as const);
  const others = matchExpressions.map((one) => [one.key, requirementText(one)] as const);
  const sorted = [...labels, ...others].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, text]) => text).join(',');
}

/** The MachineConfigs of the pool.
 *  @throws TerminalError InvalidConfig, InvalidSelector */
function selectedConfigs({ context, pool }: PoolRun): readonly MachineConfig[] {
  const selector = (pool.spec.machineConfigSelector ?? {}) as LabelSelector;
  const objects = isEmptySelector(selector)
    ? []
    : context.configs.values().filter(({ metadata }) => isSelected(selector, metadata.labels ?? {}));
  const configs = objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(parseMachineConfig);
  if (configs.length > 0) return configs;
  throw new TerminalError('NoConfigs', `no MachineConfigs found matching selector ${selectorText(selector)}`);
}

/** The same content may come with another release: nodes that have it have that release then. */
async function updateVersions(
  { context: { kube, configs } }: PoolRun,
  known: KubeObject,
  { rendered, signal }: { readonly rendered: KubeObject; readonly signal: AbortSignal },
): Promise<void> {
  const { annotations = {} } = rendered.metadata;
  const isSame = Object.entries(annotations).every(([key, value]) => known.metadata.annotations?.[key] === value);
  if (isSame) return;
  const metadata = { ...preconditionOf(known), annotations };
  configs.wrote(await kube.patch(refOf(known), { metadata }, { fieldManager: poolFieldManager, signal }));
}

async function ensureRendered(run: PoolRun, rendered: KubeObject, signal: AbortSignal): Promise<void> {
  const { kube, configs, settings } = run.context;
  const known = configs.get(rendered.metadata.name ?? '');
  if (known !== undefined) return await updateVersions(run, known, { rendered, signal });
  try {
    configs.wrote(await kube.create(rendered, { fieldManager: poolFieldManager, signal }));
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    return;
  }
  const versions = `release version: ${settings.releaseVersion ?? ''}, controller version: ${settings.version}`;
  const message = `${rendered.metadata.name ?? ''} successfully generated (${versions})`;
  recordPool(run, { type: 'Normal', reason: 'RenderedConfigGenerated', message });
}

async function render(run: PoolRun, signal: AbortSignal): Promise<void> {
  const { context, pool } = run;
  const { version, releaseVersion } = context.settings;
  const configs = selectedConfigs(run);
  const rendered = renderConfig(pool, configs, { controller: version, release: releaseVersion ?? '' });
  await ensureRendered(run, rendered, signal);
  const { name = '' } = rendered.metadata;
  const configuration = configurationOf(name, configs);
  const { name: oldName, source: oldSource } = pool.spec.configuration ?? {};
  const isSame = oldName === name && isJsonEqual((oldSource ?? null) as JsonValue, configuration['source'] ?? null);
  if (isSame) return;
  const patch = { metadata: preconditionOf(run.object), spec: { configuration } };
  const written = await context.kube.patch(refOf(run.object), patch, { fieldManager: poolFieldManager, signal });
  context.pools.wrote(written);
  run.status.rebase(run, written);
  run.pool = parseMachineConfigPool(run.object);
  if (oldName === name) return;
  const message = `Pool ${pool.metadata.name} now targeting MachineConfig ${name}`;
  recordPool(run, { type: 'Normal', reason: 'Updating', message });
}

/** Renders the configuration of the pool, a paused one's too. What cannot be rendered leaves the last target.
 *  @see docs/spec/machine-lifecycle.md#objects */
export const renderPool: Step<PoolRun> = async (run, { signal }) => {
  const { machineConfigSelector } = run.pool.spec;
  if (run.object.metadata.deletionTimestamp !== undefined) return;
  if (machineConfigSelector !== undefined && isEmptySelector(machineConfigSelector as LabelSelector)) {
    const message = 'This machineconfigpool is selecting all machineconfigs. A non-empty selector is required.';
    recordPool(run, { type: 'Warning', reason: 'SelectingAll', message });
    return;
  }
  try {
    await render(run, signal);
    run.status.set(run, [{ type: 'RenderDegraded', status: 'False', reason: '', message: '' }]);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    const why = thrown.reason === 'NoConfigs' ? '' : 'could not generate rendered MachineConfig: ';
    const message = `Failed to render configuration for pool ${run.pool.metadata.name}: ${why}${thrown.message}`;
    run.status.set(run, [{ type: 'RenderDegraded', status: 'True', reason: '', message }]);
  }
};
