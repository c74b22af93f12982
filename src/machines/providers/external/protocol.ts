import { type Machine, machineLabels } from '../../../api/index.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson, serverText } from '../../../base/index.ts';
import { ActuatorError, type ActuatorReason, type Instance, RequeueAfter } from '../../actuator.ts';

/** What a provider is asked for. */
export type Operation = 'create' | 'update' | 'delete' | 'exists';

/** Longest answer of a provider. */
export const maxAnswerBytes: number = 1024 * 1024;
/** After this time without an answer, the operation is tried again. A provider that needs longer answers `requeueAfterSeconds`. */
export const answerDeadlineMs = 60_000;

const maxProviderIdCharacters = 2048;
const maxStateCharacters = 256;
const maxAddresses = 64;
const maxStatusCharacters = 64 * 1024;
const maxMessageCharacters = 1024;
const maxRequeueSeconds = 3600;
/** The labels that a provider may set; others decide which set and which cluster a machine belongs to. */
const settableLabels: readonly string[] = [machineLabels.instanceType, machineLabels.region, machineLabels.zone];
const labelValue = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const reasons: readonly string[] = [
  'InvalidConfiguration',
  'UnsupportedChange',
  'InsufficientResources',
  'CreateError',
  'UpdateError',
  'DeleteError',
  'JoinClusterTimeoutError',
] satisfies ActuatorReason[];

/** The request of an operation: one JSON document, by every transport.
 *  @see docs/actuators.md */
export function requestText(operation: Operation, machine: Machine): string {
  const { managedFields: _managedFields, ...metadata } = machine.metadata as unknown as JsonObject;
  return JSON.stringify({ operation, machine: { ...machine, metadata } });
}

/** An answer that the protocol does not have. The operation is tried again. */
function unexpected(what: string, found: JsonValue | undefined): Error {
  const text = found === undefined ? 'nothing' : serverText(JSON.stringify(found), 200);
  return new Error(`the provider answered ${text}, expected ${what}`);
}

function textOf(value: JsonValue | undefined, name: string, maxCharacters: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  const isText = typeof value === 'string' && value.length <= maxCharacters && !/[\p{Cc}]/u.test(value);
  if (isText) return value;
  throw unexpected(`instance.${name} as a text of at most ${maxCharacters} printable characters`, value);
}

function addressesOf(value: JsonValue | undefined): NonNullable<Instance['addresses']> | undefined {
  if (value === undefined || value === null) return undefined;
  const problem = `instance.addresses as at most ${maxAddresses} objects of type and address`;
  if (!Array.isArray(value) || value.length > maxAddresses) throw unexpected(problem, value);
  return value.map((one) => {
    const type = isJsonObject(one) ? textOf(one['type'], 'addresses.type', maxStateCharacters) : undefined;
    const address = isJsonObject(one) ? textOf(one['address'], 'addresses.address', maxStateCharacters) : undefined;
    if (type === undefined || address === undefined) throw unexpected(problem, one);
    return { type, address };
  });
}

function labelsOf(value: JsonValue | undefined): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  const problem = `instance.labels with the keys ${settableLabels.join(', ')} alone, and valid values`;
  if (!isJsonObject(value)) throw unexpected(problem, value);
  const labels: Record<string, string> = {};
  for (const [key, text] of Object.entries(value)) {
    if (!settableLabels.includes(key) || typeof text !== 'string' || !labelValue.test(text)) {
      throw unexpected(problem, { [key]: text ?? null });
    }
    labels[key] = text;
  }
  return labels;
}

function statusOf(value: JsonValue | undefined): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  const problem = `instance.providerStatus as an object of at most ${maxStatusCharacters} characters`;
  if (!isJsonObject(value) || JSON.stringify(value).length > maxStatusCharacters) throw unexpected(problem, value);
  return value;
}

/** What an answer reports of the instance. */
export function instanceOf(answer: JsonObject): Instance {
  const { instance } = answer;
  if (!isJsonObject(instance)) throw unexpected('an object "instance"', instance);
  const members = {
    providerID: textOf(instance['providerID'], 'providerID', maxProviderIdCharacters),
    state: textOf(instance['state'], 'state', maxStateCharacters),
    addresses: addressesOf(instance['addresses']),
    labels: labelsOf(instance['labels']),
    providerStatus: statusOf(instance['providerStatus']),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Instance;
}

/** Whether the instance exists. Nothing but `true` and `false` is an answer: what a provider leaves out must not end a machine. */
export function existenceOf(answer: JsonObject): boolean {
  const { exists } = answer;
  if (typeof exists !== 'boolean') throw unexpected('"exists": true or false', exists);
  return exists;
}

function failureOf(error: JsonValue): Error {
  if (!isJsonObject(error)) return unexpected('an object "error"', error);
  const { reason, message = '' } = error;
  const text = serverText(typeof message === 'string' ? message : JSON.stringify(message), maxMessageCharacters);
  if (typeof reason === 'string' && reasons.includes(reason)) return new ActuatorError(reason as ActuatorReason, text);
  return new Error(text === '' ? 'the provider reports an error without a message' : text);
}

/** Reads an answer.
 *  @throws RequeueAfter · ActuatorError · Error when the answer is none, or an error without a known reason: that is tried again */
export function readAnswer(text: string): JsonObject {
  const answer = parseJson('the answer of the provider', text);
  if (!isJsonObject(answer)) throw unexpected('an object', answer);
  const { error, requeueAfterSeconds: seconds } = answer;
  if (error !== undefined && error !== null) throw failureOf(error);
  if (seconds === undefined || seconds === null) return answer;
  if (typeof seconds !== 'number' || !(seconds > 0)) throw unexpected('requeueAfterSeconds above 0', seconds);
  throw new RequeueAfter(Math.max(1, Math.min(seconds, maxRequeueSeconds)) * 1000);
}
