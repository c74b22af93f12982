import { formatTimestamp, isJsonObject, type JsonObject } from '../../../src/base/index.ts';
import { requiredField, unsupportedField } from '../../../src/schema/index.ts';
import { badRequest, conflict, copyJson, type KubeObject, notFound, StatusError } from '../../core/index.ts';
import { checkUid, type WriteTarget } from '../../registry/index.ts';
import type { ResourceCall } from '../api-parts.ts';
import type { Reply } from '../exchange.ts';
import { encodeValue } from '../object-output.ts';
import { virtualForm } from '../read-handlers.ts';
import { targetOf } from '../write-handlers.ts';
import { readWriteOptions } from '../write-options.ts';
import { readPosted } from './posted-body.ts';

const success: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** The node that a Binding names.
 *  @throws StatusError 500 with the bare text of the rule, as kube-apiserver answers it */
function nodeOf(binding: KubeObject): string {
  const { kind = '', name = '' } = (binding['target'] ?? {}) as { readonly kind?: string; readonly name?: string };
  const errors = [
    ...(kind === '' || kind === 'Node' ? [] : [unsupportedField('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [requiredField('target.name')] : []),
  ];
  if (errors.length === 0) return name;
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  throw new StatusError({ code: 500, message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]` });
}

function whyNot({ metadata, ...pod }: KubeObject): string | undefined {
  const { nodeName, schedulingGates } = (pod['spec'] ?? {}) as { nodeName?: string; schedulingGates?: object[] };
  const { name } = metadata;
  if (metadata.deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (nodeName !== undefined && nodeName !== '') {
    return `pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`;
  }
  return (schedulingGates ?? []).length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : undefined;
}

function withScheduled(status: JsonObject, now: string): JsonObject {
  const condition = { lastProbeTime: null, lastTransitionTime: now, status: 'True', type: 'PodScheduled' };
  const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
  const others = conditions.filter((other) => !isJsonObject(other) || other['type'] !== 'PodScheduled');
  return { ...status, conditions: [...others, condition] };
}

/** The pod on its node, with the annotations of the Binding. */
function bound(live: KubeObject, binding: KubeObject, now: string): KubeObject {
  const pod = copyJson(live);
  (pod['spec'] as JsonObject)['nodeName'] = nodeOf(binding);
  const { annotations } = binding.metadata;
  if (annotations !== undefined) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  pod['status'] = withScheduled(isJsonObject(pod['status']) ? pod['status'] : {}, now);
  return pod;
}

/** Admission sees the Binding as it was posted, not the change of the pod that it leads to. */
async function bind(call: ResourceCall, target: WriteTarget, posted: KubeObject): Promise<Reply> {
  const { context } = readWriteOptions(call, 'CreateOptions');
  const { writer } = call.parts;
  const form = virtualForm(call);
  const binding = await writer.admitPosted({ ...targetOf(call), name: target.name }, posted, context);
  nodeOf(binding);
  const build = (live: KubeObject | undefined): KubeObject => {
    if (live === undefined) throw notFound(target.type, target.name);
    checkUid(target, binding, live.metadata.uid ?? '');
    const why = whyNot(live);
    if (why !== undefined) throw conflict({ group: '', plural: 'pods/binding' }, target.name, why);
    return bound(live, binding, formatTimestamp(call.parts.clock.now()));
  };
  const request = { target, build, createsAbsent: false, isTracked: true, isPatch: true };
  await writer.update(request, { ...context, isAdmitted: true });
  return encodeValue(201, success, form);
}

const bindingKind = { group: '', version: 'v1', kind: 'Binding' };

/** `v1 Binding` of one pod: puts it on a node, once. */
export async function bindPod(call: ResourceCall): Promise<Reply> {
  const { validation } = readWriteOptions(call, 'CreateOptions');
  const binding = await readPosted(call, bindingKind, validation);
  const { name, namespace } = call.request;
  if ((binding.metadata.name ?? name) !== name) throw badRequest('name in URL does not match name in Binding object');
  return await bind(call, { type: call.type, namespace, name, subresource: 'binding' }, binding);
}

/** The same, of the pod that the Binding is called after. */
export async function createBinding(call: ResourceCall): Promise<Reply> {
  const { validation } = readWriteOptions(call, 'CreateOptions');
  const binding = await readPosted(call, bindingKind, validation);
  const type = call.parts.types.find('', 'v1', 'pods');
  const { name = '' } = binding.metadata;
  if (type === undefined) throw notFound({ group: '', plural: 'pods' }, name);
  return await bind(call, { type, namespace: call.request.namespace, name, subresource: 'binding' }, binding);
}
