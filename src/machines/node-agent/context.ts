import { type NodeAgentState, nodeUpdateAnnotations } from '../../api/index.ts';
import { type Clock, cutText, type TerminalError } from '../../base/index.ts';
import type { ReconcileRun } from '../../controller/index.ts';
import {
  type EventRecorder,
  type KindCache,
  type KubeClient,
  type KubeObject,
  type ObjectEvent,
  refOf,
} from '../../kube/index.ts';
import type { NodeHost } from './host.ts';

export interface AgentContext {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly nodes: KindCache;
  readonly events: EventRecorder;
  /** The host of a Node; undefined where another agent works. */
  readonly hostOf: (node: KubeObject) => NodeHost | undefined;
  /** The configuration that a new node begins with; undefined while there is none. */
  readonly firstConfigOf: (node: KubeObject) => string | undefined;
  /** Since when drains are waited for, by the name of the Node. */
  readonly waits: Map<string, number>;
  /** Reboots that this process has requested, by the name of the Node. */
  readonly reboots: Map<string, { readonly bootId: string; readonly atMs: number }>;
}

/** A reconcile of the Node of an agent. */
export interface AgentRun extends ReconcileRun {
  readonly context: AgentContext;
  readonly host: NodeHost;
}

const fieldManager = 'longshore-node-agent';
/** As the reference cuts it. */
const maxReasonCharacters = 2000;

/** An annotation of the Node; empty where there is none. */
export function annotationOf({ metadata }: KubeObject, key: string): string {
  return metadata.annotations?.[key] ?? '';
}

/** Writes annotations of the Node, unless they are so already. They are the agent's own: that others change the Node meanwhile does not matter. */
export async function annotate(
  run: AgentRun,
  annotations: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const entries = Object.entries(annotations).filter(
    ([key, value]) => run.object.metadata.annotations?.[key] !== value,
  );
  if (entries.length === 0) return;
  const { kube, nodes } = run.context;
  const { uid } = run.object.metadata;
  const metadata = { ...(uid === undefined ? {} : { uid }), annotations: Object.fromEntries(entries) };
  const written = await kube.patch(refOf(run.object), { metadata }, { fieldManager, signal });
  nodes.wrote(written);
  run.object = written;
}

const { state: stateKey, reason: reasonKey } = nodeUpdateAnnotations;
const failed: readonly string[] = ['Degraded', 'Unreconcilable'];

/** Sets the state. One that failed stays so until it is Done. */
export async function setState(run: AgentRun, state: NodeAgentState, signal: AbortSignal): Promise<void> {
  if (state === 'Working' && failed.includes(annotationOf(run.object, stateKey))) return;
  await annotate(run, { [stateKey]: state }, signal);
}

/** Reports an update that cannot go on. */
export async function degrade(run: AgentRun, { reason, message }: TerminalError, signal: AbortSignal): Promise<void> {
  const state: NodeAgentState = reason === 'Unreconcilable' ? 'Unreconcilable' : 'Degraded';
  await annotate(run, { [stateKey]: state, [reasonKey]: cutText(message, maxReasonCharacters) }, signal);
  if (state === 'Unreconcilable') recordNode(run, { type: 'Warning', reason: 'FailedToReconcile', message });
}

/** Records an Event about the Node. */
export function recordNode({ context, object }: AgentRun, event: ObjectEvent): void {
  context.events.record(object, event);
}
