import { type Machine, parseMachine } from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { ApiObject, HookedMachine } from './definition.ts';

function timeOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function drainedAtMs({ status }: Machine): number | undefined {
  const drained = status?.conditions?.find(({ type, status: state }) => type === 'Drained' && state === 'True');
  return drained === undefined ? undefined : (timeOf(drained.lastTransitionTime) ?? 0);
}

function internalAddresses({ status }: Machine): readonly string[] {
  const internal = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP');
  return internal.map(({ address }) => address);
}

/** A Machine as hooks read it. */
export function hookedMachine(object: KubeObject): HookedMachine {
  const machine = parseMachine(object);
  const { metadata, spec, status } = machine;
  const { namespace = '', name, uid = '', labels = {}, annotations = {}, deletionTimestamp } = metadata;
  return {
    namespace,
    name,
    uid,
    labels,
    annotations,
    node: status?.nodeRef?.name,
    providerID: spec?.providerID,
    addresses: internalAddresses(machine),
    deletedAtMs: deletionTimestamp === undefined ? undefined : (timeOf(deletionTimestamp) ?? 0),
    drainedAtMs: drainedAtMs(machine),
    object: object as unknown as ApiObject,
  };
}
