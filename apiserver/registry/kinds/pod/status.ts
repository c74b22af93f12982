import { type JsonObject, objectAt, objectsAt, textAt, valueAt } from '../../../../src/base/index.ts';
import {
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  invalidField,
  qualifiedNameProblems,
} from '../../../../src/schema/index.ts';
import { asJson, type KubeObject, textsAt } from '../../../core/index.ts';
import { addressErrors, addressWarnings, parseAddress } from '../addresses.ts';
import { each, immutable, invalids } from '../checks.ts';
import { readSpec } from '../workload-rules.ts';
import { podAnnotationErrors } from './annotations.ts';
import { lockedAnnotationErrors } from './update.ts';

const ownConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

function conditionErrors(status: JsonObject): FieldError[] {
  return each(status, { path: 'status', key: 'conditions' }, (condition, at) => {
    const type = textAt(condition, 'type');
    return ownConditions.has(type) ? [] : invalids(`${at}.Type`, type, qualifiedNameProblems(type));
  });
}

function nominatedErrors(status: JsonObject, before: JsonObject): FieldError[] {
  const name = textAt(status, 'nominatedNodeName');
  if (name === '' || name === textAt(before, 'nominatedNodeName')) return [];
  return invalids('status.nominatedNodeName', name, dns1123SubdomainProblems(name));
}

/** A container that has ended and is not to be restarted stays ended. */
function transitionErrors(
  status: JsonObject,
  before: JsonObject,
  { list, restartPolicy }: { readonly list: string; readonly restartPolicy: string },
): FieldError[] {
  if (restartPolicy === 'Always') return [];
  const states = new Map(objectsAt(status, list).map((item, index) => [textAt(item, 'name'), { item, index }]));
  return objectsAt(before, list).flatMap((old) => {
    const ended = objectAt(old, 'state', 'terminated');
    if (ended === undefined || (restartPolicy === 'OnFailure' && valueAt(ended, 'exitCode') !== 0)) return [];
    const now = states.get(textAt(old, 'name'));
    if (now === undefined || objectAt(now.item, 'state', 'terminated') !== undefined) return [];
    return [forbiddenField(`status.${list}[${now.index}].state`, 'may not be transitioned to non-terminated state')];
  });
}

function addressListErrors(status: JsonObject, before: JsonObject, key: string): FieldError[] {
  const known = new Set(objectsAt(before, key).map((item) => textAt(item, 'ip')));
  const addresses = objectsAt(status, key).map((item) => textAt(item, 'ip'));
  const errors = addresses.flatMap((address, index) =>
    known.has(address) ? [] : addressErrors(address, `status.${key}[${index}]`),
  );
  const families = new Set(addresses.map((address) => parseAddress(address)?.family));
  if (addresses.length < 2 || (addresses.length === 2 && families.size === 2)) return errors;
  const type = key === 'podIPs' ? 'PodIP' : 'HostIP';
  const shown = {
    goSyntax: `[]core.${type}{${addresses.map((ip) => `core.${type}{IP:${JSON.stringify(ip)}}`).join(', ')}}`,
  };
  return [...errors, invalidField(`status.${key}`, shown, 'may specify no more than one IP for each IP family')];
}

function hostErrors(status: JsonObject): FieldError[] {
  const [first] = objectsAt(status, 'hostIPs');
  const address = textAt(first, 'ip');
  if (first === undefined || address === textAt(status, 'hostIP')) return [];
  return [invalidField('status.hostIPs[0].ip', address, 'must be equal to `hostIP`')];
}

/** Errors of a write to the status of a pod. */
export function podStatusErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const status = objectAt(asJson(object), 'status') ?? {};
  const before = objectAt(asJson(old), 'status') ?? {};
  const spec = readSpec(old);
  const restartPolicy = textAt(spec, 'restartPolicy');
  const qos = { now: valueAt(status, 'qosClass'), before: valueAt(before, 'qosClass') };
  return [
    ...lockedAnnotationErrors(object, old),
    ...podAnnotationErrors(textsAt(asJson(object), 'metadata', 'annotations'), spec, 'metadata.annotations'),
    ...conditionErrors(status),
    ...nominatedErrors(status, before),
    ...immutable('status.qosClass', qos),
    ...transitionErrors(status, before, { list: 'containerStatuses', restartPolicy }),
    ...transitionErrors(status, before, { list: 'ephemeralContainerStatuses', restartPolicy: 'Never' }),
    ...addressListErrors(status, before, 'podIPs'),
    ...hostErrors(status),
    ...addressListErrors(status, before, 'hostIPs'),
  ];
}

/** Warnings about addresses in the status of a pod. */
export function podStatusWarnings(object: KubeObject): string[] {
  const status = objectAt(asJson(object), 'status');
  return ['podIPs', 'hostIPs'].flatMap((key) =>
    objectsAt(status, key).flatMap((item, index) => addressWarnings(textAt(item, 'ip'), `status.${key}[${index}].ip`)),
  );
}
