import { type JsonObject, listOfTexts, textAt } from '../../../src/base/index.ts';
import {
  duplicateField,
  type FieldError,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { goTexts, invalidPrinted } from '../../schema/index.ts';
import { addressErrors, parseAddress } from './addresses.ts';
import { hasSelector, isHeadless, isSameList, usesNodePorts } from './service-fields.ts';

const dualPolicies = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";

/** The family of an address that is known to be one. */
function familyOf(address: string): string {
  return parseAddress(address)?.family === 6 ? 'IPv6' : 'IPv4';
}

/** Errors of `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy` among themselves. */
export function clusterAddressErrors(spec: JsonObject): FieldError[] {
  if (textAt(spec, 'type') === 'ExternalName') return [];
  const addresses = listOfTexts(spec, 'clusterIPs');
  const errors = [...agreementErrors(spec, addresses), ...familyErrors(spec)];
  const malformed = malformedErrors(addresses);
  if (addresses.length > 2) {
    malformed.push(invalidPrinted('spec.clusterIPs', goTexts(addresses), 'may only hold up to 2 values'));
  }
  errors.push(...malformed);
  const isMisplaced = addresses.length > 1 && addresses[0] === 'None';
  if (isMisplaced || addresses.some((address) => address !== 'None' && parseAddress(address) === undefined))
    return errors;
  return [...errors, ...pairErrors(spec, addresses)];
}

function agreementErrors(spec: JsonObject, addresses: readonly string[]): FieldError[] {
  const [field, first] = ['spec.clusterIPs', textAt(spec, 'clusterIP')];
  if (first === '') {
    const why = 'must be empty when `clusterIP` is not specified';
    return addresses.length === 0 ? [] : [invalidPrinted(field, goTexts(addresses), why)];
  }
  if (addresses.length === 0) return [requiredField(field)];
  return addresses[0] === first
    ? []
    : [invalidPrinted(field, goTexts(addresses), 'first value must match `clusterIP`')];
}

function familyErrors(spec: JsonObject): FieldError[] {
  const seen = new Set<string>();
  const errors = listOfTexts(spec, 'ipFamilies').flatMap((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    const unsupported = ['IPv4', 'IPv6'].includes(family) ? [] : [unsupportedField(field, family, ['IPv4', 'IPv6'])];
    const duplicate = seen.has(family) ? [duplicateField(field, family)] : [];
    seen.add(family);
    return [...unsupported, ...duplicate];
  });
  const policy = textAt(spec, 'ipFamilyPolicy');
  const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
  if (policy !== '' && !policies.includes(policy))
    errors.push(unsupportedField('spec.ipFamilyPolicy', policy, policies));
  return errors;
}

function malformedErrors(addresses: readonly string[]): FieldError[] {
  return addresses.flatMap((address, index) => {
    if (index > 0 || address !== 'None') return addressErrors(address, `spec.clusterIPs[${index}]`);
    const why = "'None' must be the first and only value";
    return addresses.length > 1 ? [invalidPrinted('spec.clusterIPs', goTexts(addresses), why)] : [];
  });
}

function pairErrors(spec: JsonObject, addresses: readonly string[]): FieldError[] {
  const families = listOfTexts(spec, 'ipFamilies');
  const errors: FieldError[] = [];
  if (addresses.length > 1 && new Set(addresses.map(familyOf)).size < 2) {
    const why = 'may specify no more than one IP for each IP family';
    errors.push(invalidPrinted('spec.clusterIPs', goTexts(addresses), why));
  }
  if (isHeadless(spec)) return errors;
  addresses.slice(0, families.length).forEach((address, index) => {
    const expected = families[index] ?? '';
    if (!['IPv4', 'IPv6'].includes(expected) || familyOf(address) === expected) return;
    const why = `expected an ${expected} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalidField(`spec.clusterIPs[${index}]`, address, why));
  });
  return errors;
}

/** A service that would like two families keeps what it has until its policy or its addresses change. */
function keepsPreference(spec: JsonObject, before: JsonObject | undefined): boolean {
  if (before === undefined || textAt(spec, 'type') !== textAt(before, 'type')) return false;
  const policies = [textAt(spec, 'ipFamilyPolicy'), textAt(before, 'ipFamilyPolicy') || 'PreferDualStack'];
  if (policies.some((policy) => policy !== 'PreferDualStack')) return false;
  return (
    (usesNodePorts(spec) || textAt(spec, 'type') === 'ClusterIP') &&
    ['clusterIPs', 'ipFamilies'].every((key) => isSameList(listOfTexts(spec, key), listOfTexts(before, key)))
  );
}

function defaultPolicy(spec: JsonObject, before: JsonObject | undefined): string {
  const known = textAt(before, 'ipFamilyPolicy');
  if (known !== '') return known;
  return textAt(spec, 'clusterIP') === 'None' && !hasSelector(spec) ? 'RequireDualStack' : 'SingleStack';
}

/** What a change of policy does to the second family, and what it may not do. */
function changeErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const policy = textAt(spec, 'ipFamilyPolicy');
  const parts = [
    { key: 'clusterIPs', what: 'cluster IP' },
    { key: 'ipFamilies', what: 'IP family' },
  ];
  return parts.flatMap(({ key, what }) => {
    const [now, then] = [listOfTexts(spec, key), listOfTexts(before, key)];
    if (policy === 'SingleStack') {
      if (isSameList(now, then) && now.length > 1) spec[key] = now.slice(0, 1);
      return [];
    }
    const isReduced = now.length > 0 && now.length < then.length;
    const why = `must be 'SingleStack' to release the secondary ${what}`;
    return isReduced ? [invalidField('spec.ipFamilyPolicy', policy, why)] : [];
  });
}

function singleStackErrors(spec: JsonObject): FieldError[] {
  if (textAt(spec, 'ipFamilyPolicy') !== 'SingleStack') return [];
  const parts = [
    { key: 'clusterIPs', what: 'cluster IPs are specified' },
    { key: 'ipFamilies', what: 'IP families are specified' },
  ];
  return parts
    .filter(({ key }) => listOfTexts(spec, key).length === 2)
    .map(({ what }) => invalidField('spec.ipFamilyPolicy', 'SingleStack', `${dualPolicies} ${what}`));
}

/** Families of addresses that were given without them. */
function inferFamilies(spec: JsonObject): FieldError[] {
  const addresses = listOfTexts(spec, 'clusterIPs');
  if (addresses[0] === 'None') return [];
  const errors: FieldError[] = [];
  const families = listOfTexts(spec, 'ipFamilies');
  addresses.forEach((address, index) => {
    if (index < families.length) return;
    const family = familyOf(address);
    const why = `${family} is not configured on this cluster`;
    if (family === 'IPv4') families.push(family);
    else errors.push(invalidPrinted(`spec.clusterIPs[${index}]`, goTexts(addresses), why));
  });
  if (families.length > 0) spec['ipFamilies'] = families;
  return errors;
}

/** Without a selector the addresses are the user's own: any families will do. */
function fillOwnFamilies(spec: JsonObject): void {
  const families = listOfTexts(spec, 'ipFamilies');
  if (families.length === 0) families.push('IPv4');
  if (families.length === 1 && textAt(spec, 'ipFamilyPolicy') !== 'SingleStack') {
    families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  }
  spec['ipFamilies'] = families;
}

/** Settles which address families a service has, on a cluster that has IPv4 alone. Changes `spec`.
 *  @returns why that cannot be */
export function settleFamilies(spec: JsonObject, before: JsonObject | undefined): FieldError[] {
  if (textAt(spec, 'type') === 'ExternalName' || keepsPreference(spec, before)) return [];
  if (textAt(spec, 'ipFamilyPolicy') === '') spec['ipFamilyPolicy'] = defaultPolicy(spec, before);
  const malformed = clusterAddressErrors(spec);
  if (malformed.length > 0) return malformed;
  const errors = [
    ...(before === undefined ? [] : changeErrors(spec, before)),
    ...singleStackErrors(spec),
    ...inferFamilies(spec),
  ];
  if (errors.length > 0) return errors;
  if (textAt(spec, 'clusterIP') === 'None' && !hasSelector(spec)) {
    fillOwnFamilies(spec);
    return [];
  }
  return offeredErrors(spec);
}

/** What the cluster does not offer; the default family where none was asked for. */
function offeredErrors(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const policy = textAt(spec, 'ipFamilyPolicy');
  if (policy === 'RequireDualStack') {
    const why = 'this cluster is not configured for dual-stack services';
    errors.push(invalidField('spec.ipFamilyPolicy', policy, why));
  }
  const families = listOfTexts(spec, 'ipFamilies');
  families.forEach((family, index) => {
    if (family !== 'IPv4') {
      errors.push(invalidField(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
    }
  });
  if (errors.length === 0 && families.length === 0) spec['ipFamilies'] = ['IPv4'];
  return errors;
}
