import { badRequest, inTurns, type KubeObject, type ResourceType, StatusError } from '../core/index.ts';
import type { WriteTarget } from '../registry/index.ts';
import type { ResourceCall } from './api-parts.ts';
import { decodingSteps, type FieldValidation } from './decode-body.ts';
import { type Reply } from './exchange.ts';
import { negotiateInput } from './negotiation.ts';
import { encodeObject, parseRowObject } from './object-output.ts';
import { outputForm } from './read-handlers.ts';
import { readWriteOptions } from './write-options.ts';

/** What a write request acts on. */
export function targetOf(call: ResourceCall): WriteTarget {
  const { type, request } = call;
  const subresource = request.subresource === '' ? undefined : request.subresource;
  return { type, namespace: request.namespace, name: request.name, subresource };
}

/** The answer to a write with the object as it is now. */
export function writeReply(call: ResourceCall, code: number, object: KubeObject): Reply {
  const form = outputForm(call, false);
  const table = { nowMs: call.parts.clock.now(), rowObject: parseRowObject(call.exchange.query) };
  return encodeObject({ code, type: call.type, object }, form, table);
}

async function readObjectBody(call: ResourceCall, validation: FieldValidation): Promise<KubeObject> {
  const { exchange, type } = call;
  const syntax = negotiateInput(exchange.header('content-type'), type.isCustom);
  const bytes = await exchange.readBody();
  const steps = decodingSteps(bytes, type, { syntax, validation, warn: (text) => exchange.warn(text) });
  const object = await inTurns(steps, () => exchange.nextTurn());
  await exchange.nextTurn();
  return object;
}

function refuseCreate({ group, plural }: ResourceType): never {
  const message = 'create not allowed while custom resource definition is terminating';
  throw new StatusError({ code: 405, reason: 'MethodNotAllowed', message, details: { group, kind: plural } });
}

export async function handleCreate(call: ResourceCall): Promise<Reply> {
  if (call.type.isBeingDeleted === true) refuseCreate(call.type);
  outputForm(call, false);
  const { context, validation } = readWriteOptions(call, 'CreateOptions');
  const object = await readObjectBody(call, validation);
  const { object: created } = await call.parts.writer.create({ ...targetOf(call), name: '' }, object, context);
  await call.exchange.nextTurn();
  return writeReply(call, 201, created);
}

export async function handleUpdate(call: ResourceCall): Promise<Reply> {
  outputForm(call, false);
  const { context, validation } = readWriteOptions(call, 'UpdateOptions');
  const object = await readObjectBody(call, validation);
  if (object.metadata.name === undefined) {
    const why = 'was undeterminable: name must be provided';
    throw badRequest(`the name of the object (${call.request.name} based on URL) ${why}`);
  }
  const result = await call.parts.writer.update(
    {
      target: targetOf(call),
      build: () => object,
      createsAbsent: call.type.strategy.allowsCreateOnUpdate,
      isTracked: false,
      isPatch: false,
    },
    context,
  );
  await call.exchange.nextTurn();
  return writeReply(call, result.isCreated ? 201 : 200, result.object);
}
