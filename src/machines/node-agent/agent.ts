import {
  type MachineConfig,
  machineConfigResource,
  nodeUpdateAnnotations,
  parseMachineConfig,
} from '../../api/index.ts';
import { errorMessage, TerminalError } from '../../base/index.ts';
import { requeueAfter } from '../../controller/index.ts';
import { isNotFound } from '../../kube/index.ts';
import { isIntact } from '../machine-config/render.ts';
import { type AgentRun, annotate, annotationOf, degrade, recordNode, setState } from './context.ts';
import { differenceOf, type NodeDifference } from './difference.ts';
import type { NodeJournal } from './host.ts';
import { type NodeConfig, readNodeConfig } from './node-config.ts';

const keys = nodeUpdateAnnotations;
/** A drain that takes longer is reported; it is waited for all the same. */
const drainDeadlineMs = 3_600_000;
/** How often a node that has what it is to have is compared with it. */
const driftIntervalMs = 60_000;
/** A reboot that has not happened by then is requested again. */
const rebootDeadlineMs = 600_000;
const singleReplica = 'SingleReplica';

/** Content that this node has nothing of. */
const nothing: NodeConfig = readNodeConfig({ metadata: { name: '' }, spec: {} });

/** Reads a rendered configuration, and checks that it was not changed.
 *  @throws TerminalError ConfigMissing, ConfigChanged, InvalidConfig */
async function fetchConfig({ context }: AgentRun, name: string, signal: AbortSignal): Promise<MachineConfig> {
  try {
    const config = parseMachineConfig(await context.kube.get({ ...machineConfigResource, name }, { signal }));
    if (isIntact(config)) return config;
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    throw new TerminalError('ConfigMissing', `machineconfig.machineconfiguration.openshift.io "${name}" not found`);
  }
  const message = `MachineConfig ${name} was changed after it was rendered; delete it, and it is rendered again`;
  throw new TerminalError('ConfigChanged', message);
}

function currentOf({ current }: NodeJournal): NodeConfig {
  if (current === undefined) return nothing;
  return readNodeConfig({ metadata: { name: current.name }, spec: current.spec });
}

/** Asks for a drain, or its end; whether it is done. */
async function requested(run: AgentRun, verb: 'drain' | 'uncordon', signal: AbortSignal): Promise<boolean> {
  const request = `${verb}-${annotationOf(run.object, keys.desiredConfig)}`;
  if (annotationOf(run.object, keys.lastAppliedDrain) === request) return true;
  await annotate(run, { [keys.desiredDrain]: request }, signal);
  return false;
}

function waitForDrain(run: AgentRun): void {
  const { name = '' } = run.object.metadata;
  const { clock, waits } = run.context;
  const since = waits.get(name) ?? clock.now();
  waits.set(name, since);
  const leftMs = since + drainDeadlineMs - clock.now();
  requeueAfter(run, Math.max(leftMs, driftIntervalMs));
  if (leftMs > 0) return;
  const message = `failed to drain node: ${name} after 1 hour. Please see machine-config-controller logs for more information`;
  recordNode(run, { type: 'Warning', reason: 'FailedToDrain', message });
  throw new TerminalError('FailedToDrain', message);
}

async function isDrained(run: AgentRun, difference: NodeDifference, signal: AbortSignal): Promise<boolean> {
  const isSingle = annotationOf(run.object, keys.controlPlaneTopology) === singleReplica;
  if (!difference.needsDrain || isSingle) {
    recordNode(run, { type: 'Normal', reason: 'Drain', message: 'Drain not required, skipping' });
    return true;
  }
  const isNew = !annotationOf(run.object, keys.desiredDrain).startsWith('drain-');
  if (await requested(run, 'drain', signal)) return true;
  if (isNew) recordNode(run, { type: 'Normal', reason: 'Drain', message: 'Draining node to update config.' });
  waitForDrain(run);
  return false;
}

/** Writes the configuration; a journal on the node notes how far that is. */
async function write(run: AgentRun, before: NodeConfig, after: NodeConfig): Promise<void> {
  const { host } = run;
  const journal = await host.recall();
  const bootId = await host.bootId();
  await host.remember({ ...journal, update: { config: after.name, step: 'writing', bootId } });
  try {
    await host.apply(before, after);
  } catch (thrown) {
    await host.remember(journal.current === undefined ? {} : { current: journal.current });
    throw new TerminalError('UpdateFailed', errorMessage(thrown), { cause: thrown });
  }
  await host.remember({ ...journal, update: { config: after.name, step: 'written', bootId } });
}

async function restart(run: AgentRun, journal: NodeJournal, signal: AbortSignal): Promise<void> {
  const desired = annotationOf(run.object, keys.desiredConfig);
  recordNode(run, { type: 'Normal', reason: 'Reboot', message: `Node will reboot into config ${desired}` });
  await annotate(run, { [keys.postConfigAction]: 'Rebooting' }, signal);
  const { reboots, clock } = run.context;
  const name = run.object.metadata.name ?? '';
  const bootId = await run.host.bootId();
  // One that could not be requested is requested again, also where an earlier one of the same boot was.
  reboots.delete(name);
  await run.host.remember({ ...journal, update: { config: desired, step: 'rebooting', bootId } });
  const continuesMs = await run.host.reboot();
  reboots.set(name, { bootId, atMs: clock.now() });
  requeueAfter(run, continuesMs);
}

/** A node that is on its way down is not restarted again, unless that takes too long. What a former process requested may not have come about. */
function untilNextRequestMs({ context, object }: AgentRun, bootId: string | undefined): number {
  const requested = context.reboots.get(object.metadata.name ?? '');
  if (requested === undefined || requested.bootId !== bootId) return 0;
  return requested.atMs + rebootDeadlineMs - context.clock.now();
}

/** Whether the node runs what was written: it was restarted, or need not be. */
async function isRunning(run: AgentRun, difference: NodeDifference, signal: AbortSignal): Promise<boolean> {
  const { host } = run;
  const journal = await host.recall();
  const { step, bootId } = journal.update ?? {};
  if (!difference.needsReboot) {
    if (difference.actions.length > 0) await host.perform(difference.actions);
    return true;
  }
  const isSameBoot = (await host.bootId()) === bootId;
  if (step === 'rebooting' && !isSameBoot) {
    await annotate(run, { [keys.postConfigAction]: '' }, signal);
    return true;
  }
  const waitsMs = step === 'rebooting' ? untilNextRequestMs(run, bootId) : 0;
  if (waitsMs > 0) requeueAfter(run, Math.min(waitsMs, await host.untilBootMs()));
  else await restart(run, journal, signal);
  return false;
}

async function complete(run: AgentRun, config: NodeConfig, signal: AbortSignal): Promise<void> {
  const isDrainKnown = annotationOf(run.object, keys.desiredDrain) !== '';
  if (isDrainKnown && !(await requested(run, 'uncordon', signal))) return;
  await run.host.remember({ current: { name: config.name, spec: config.spec } });
  run.context.waits.delete(run.object.metadata.name ?? '');
  await annotate(run, { [keys.currentConfig]: config.name, [keys.state]: 'Done', [keys.reason]: '' }, signal);
  const message = `Update completed for config ${config.name} and node has been uncordoned`;
  if (isDrainKnown) recordNode(run, { type: 'Normal', reason: 'Uncordon', message });
  recordNode(run, {
    type: 'Normal',
    reason: 'NodeDone',
    message: `Setting node ${run.object.metadata.name ?? ''}, currentConfig ${config.name} to Done`,
  });
}

function driftError(problem: string, config: string): TerminalError {
  return new TerminalError('ConfigDrift', `unexpected on-disk state validating against ${config}: ${problem}`);
}

async function assertNoDrift(run: AgentRun, config: NodeConfig): Promise<void> {
  const problem = await run.host.drift(config);
  if (problem === undefined) return;
  recordNode(run, { type: 'Warning', reason: 'PreflightConfigDriftCheckFailed', message: problem });
  throw driftError(problem, config.name);
}

/** Takes an update a step further.
 *  @see docs/spec/machine-lifecycle.md#work-on-one-node */
async function update(run: AgentRun, desired: string, signal: AbortSignal): Promise<void> {
  const { host } = run;
  const after = readNodeConfig(await fetchConfig(run, desired, signal));
  let journal = await host.recall();
  const before = currentOf(journal);
  const isBegun = journal.update?.config === desired;
  const isWritten = isBegun && journal.update?.step !== 'writing';
  const difference = differenceOf(before, after, host.canChangeImages);
  if (!isWritten) {
    await setState(run, 'Working', signal);
    if (difference.unreconcilable !== undefined) throw new TerminalError('Unreconcilable', difference.unreconcilable);
    // Another update may have left off in the middle of its files.
    if (journal.update === undefined) await assertNoDrift(run, before);
    if (!(await isDrained(run, difference, signal))) return;
    await write(run, before, after);
    journal = await host.recall();
  }
  if (!(await isRunning(run, difference, signal))) return;
  const problem = await host.drift(after);
  if (problem !== undefined) {
    recordNode(run, { type: 'Warning', reason: 'OnDiskStateValidationFailed', message: problem });
    throw driftError(problem, after.name);
  }
  await complete(run, after, signal);
}

/** A node that is new takes the configuration that its pool has, before it gets pods. */
async function bootstrap(run: AgentRun, signal: AbortSignal): Promise<void> {
  const name = run.context.firstConfigOf(run.object);
  if (name === undefined) {
    requeueAfter(run, driftIntervalMs);
    return;
  }
  const journal = await run.host.recall();
  const config = readNodeConfig(await fetchConfig(run, name, signal));
  if (journal.current?.name !== name) {
    await write(run, currentOf(journal), config);
    await run.host.remember({ current: { name, spec: config.spec } });
  }
  const annotations = {
    [keys.currentConfig]: name,
    [keys.desiredConfig]: name,
    [keys.state]: 'Done',
    [keys.reason]: '',
  };
  await annotate(run, annotations, signal);
}

async function watchDrift(run: AgentRun, signal: AbortSignal): Promise<void> {
  requeueAfter(run, driftIntervalMs);
  const config = currentOf(await run.host.recall());
  const problem = await run.host.drift(config);
  if (problem !== undefined) {
    recordNode(run, { type: 'Warning', reason: 'ConfigDriftDetected', message: problem });
    throw driftError(problem, config.name);
  }
  if (annotationOf(run.object, keys.state) !== 'Done')
    await annotate(run, { [keys.state]: 'Done', [keys.reason]: '' }, signal);
}

async function work(run: AgentRun, signal: AbortSignal): Promise<void> {
  const [current, desired] = [
    annotationOf(run.object, keys.currentConfig),
    annotationOf(run.object, keys.desiredConfig),
  ];
  if (current === '') return await bootstrap(run, signal);
  if (desired === '') return;
  const { update: open, current: own } = await run.host.recall();
  const isDone = current === desired && own?.name === desired && open === undefined;
  await (isDone ? watchDrift(run, signal) : update(run, desired, signal));
}

/** Brings a node to the configuration that its pool wants, a step further. What fails for good shows as the state Degraded, with the reason.
 *  @see docs/spec/machine-lifecycle.md#work-on-one-node */
export async function advanceAgent(run: AgentRun, signal: AbortSignal): Promise<void> {
  try {
    await work(run, signal);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    await degrade(run, thrown, signal);
    requeueAfter(run, driftIntervalMs);
  }
}
