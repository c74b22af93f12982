import { goQuote, isJsonEqual, type JsonObject, listOfTexts, objectAt, textAt } from '../../../src/base/index.ts';
import {
  dns1123SubdomainProblems,
  type FieldError,
  immutableText,
  pathSegmentProblems,
  requiredField,
} from '../../../src/schema/index.ts';
import { asJson, type KindRules, type KubeObject, specOf } from '../../core/index.ts';
import { goTexts, invalidPrinted } from '../../schema/index.ts';
import { parseNetwork, strictAddressErrors, strictNetworkErrors } from './addresses.ts';
import { immutableErrors, invalids } from './checks.ts';

/** ServiceCIDRs and IPAddresses: where services get their addresses, and which are taken. */

const field = 'spec.cidrs';

function cidrsErrors(cidrs: readonly string[]): FieldError[] {
  if (cidrs.length === 0) return [requiredField(field, 'at least one CIDR required')];
  if (cidrs.length > 2) {
    const shown = `networking.ServiceCIDRSpec{CIDRs:${goTexts(cidrs)}}`;
    return [invalidPrinted(field, shown, 'may only hold up to 2 values')];
  }
  const errors = cidrs.flatMap((cidr, index) => strictNetworkErrors(cidr, `${field}[${index}]`));
  const [first, second] = cidrs.map((cidr) => parseNetwork(cidr)?.address.family);
  if (cidrs.length < 2 || first === undefined || first !== second) return errors;
  const why = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [...errors, invalidPrinted(field, goTexts(cidrs), why)];
}

function cidrsOf(object: KubeObject): string[] {
  return listOfTexts(specOf(object), 'cidrs');
}

function changeErrors(now: readonly string[], before: readonly string[]): FieldError[] {
  const fixed = (index: number): FieldError[] =>
    immutableErrors(`${field}[${index}]`, now[index] ?? '', now[index] === before[index]);
  if (now.length === before.length) return before.flatMap((_cidr, index) => fixed(index));
  if (before.length === 1 && now.length === 2) return [...fixed(0), ...cidrsErrors(now)];
  return [invalidPrinted(field, goTexts(now), immutableText)];
}

/** Rules of ServiceCIDRs: a second family may join, nothing else changes. */
export const serviceCidrRules: KindRules = {
  prepareForCreate: (object) => {
    asJson(object)['status'] = {};
  },
  validate: (object) => cidrsErrors(cidrsOf(object)),
  validateChange: (object, old) => changeErrors(cidrsOf(object), cidrsOf(old)),
};

function parentErrors(parent: JsonObject | undefined): FieldError[] {
  const path = 'spec.parentRef';
  if (parent === undefined) return [requiredField(path)];
  const group = textAt(parent, 'group');
  const errors = group === '' ? [] : invalids(`${path}.group`, group, dns1123SubdomainProblems(group));
  for (const key of ['resource', 'name', 'namespace']) {
    const text = textAt(parent, key);
    if (text !== '') errors.push(...invalids(`${path}.${key}`, text, pathSegmentProblems(text)));
    else if (key !== 'namespace') errors.push(requiredField(`${path}.${key}`));
  }
  return errors;
}

function goParent(parent: JsonObject | undefined): string {
  const part = (key: string): string => goQuote(textAt(parent, key));
  const parts = `Group:${part('group')}, Resource:${part('resource')}, Namespace:${part('namespace')}, Name:${part('name')}`;
  return `networking.ParentReference{${parts}}`;
}

/** Why a text is no name of an IPAddress: it is the address itself, in its canonical form. */
function addressNameProblems(name: string): string[] {
  return strictAddressErrors(name, '').map(({ message }) => message.slice(`Invalid value: ${goQuote(name)}: `.length));
}

/** Rules of IPAddresses. */
export const ipAddressRules: KindRules = {
  nameProblems: addressNameProblems,
  validate: (object) => parentErrors(objectAt(specOf(object), 'parentRef')),
  validateUpdate: (object, old) => {
    const [now, before] = [objectAt(specOf(object), 'parentRef'), objectAt(specOf(old), 'parentRef')];
    return isJsonEqual(now, before) ? [] : [invalidPrinted('spec.parentRef', goParent(now), immutableText)];
  },
};
