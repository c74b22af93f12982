import { isIPv4, isIPv6 } from 'node:net';
import { type FieldError, invalidField } from '../../../src/schema/index.ts';

/** IP addresses, networks and ports in objects, validated as kube-apiserver validates them. */

const addressText = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const cidrText = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

interface Address {
  /** IPv4 addresses in IPv6 form count as IPv4. */
  readonly family: 4 | 6;
  readonly value: bigint;
  /** As it is best written. */
  readonly text: string;
  /** Written in a form that some programs read otherwise: leading zeros, IPv4 in IPv6. */
  readonly isOdd: boolean;
}

interface Network {
  readonly address: Address;
  readonly prefixLength: number;
  readonly first: bigint;
  readonly text: string;
}

function bitsOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

function textOf(value: bigint, family: 4 | 6): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - index * 16)) & 65_535n).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function valueOfIpv6(text: string): bigint {
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string | undefined): string[] => (part === undefined || part === '' ? [] : part.split(':'));
  const [left, right] = [groups(head), groups(tail)];
  const middle = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...middle, ...right].reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

/** An address in any form that Go's tolerant parser takes; leading zeros mean nothing. */
export function parseAddress(text: string): Address | undefined {
  const bare = /^\d{1,10}(\.\d{1,10}){3}$/.test(text) ? text.replaceAll(/\b0+(?=\d)/g, '') : text;
  if (isIPv4(bare)) {
    const value = bare.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
    return { family: 4, value, text: bare, isOdd: bare !== text };
  }
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const value = valueOfIpv6(text);
  const isMapped = value >> 32n === 0xffffn;
  const family = isMapped ? 4 : 6;
  const kept = isMapped ? value & 0xffff_ffffn : value;
  return { family, value: kept, text: textOf(kept, family), isOdd: isMapped };
}

/** A network in CIDR notation; bits behind the prefix may be set. */
export function parseNetwork(text: string): Network | undefined {
  const match = /^([^/]+)\/(\d{1,4})$/.exec(text);
  const address = match === null ? undefined : parseAddress(match[1] ?? '');
  if (address === undefined) return undefined;
  const written = Number(match?.[2]);
  const isMapped = address.family === 4 && text.includes(':');
  const prefixLength = isMapped ? written - 96 : written;
  if (prefixLength < 0 || prefixLength > bitsOf(address.family)) return undefined;
  const rest = BigInt(bitsOf(address.family) - prefixLength);
  const first = (address.value >> rest) << rest;
  return { address, prefixLength, first, text: `${textOf(first, address.family)}/${prefixLength}` };
}

/** Whether `inner` lies in `outer` and is smaller. */
export function isStrictSubnet(inner: string, outer: string): boolean {
  const [small, large] = [parseNetwork(inner), parseNetwork(outer)];
  if (small === undefined || large === undefined || small.address.family !== large.address.family) return false;
  const rest = BigInt(bitsOf(large.address.family) - large.prefixLength);
  return small.prefixLength > large.prefixLength && small.first >> rest === large.first >> rest;
}

/** Errors of an address in a field that is older than the strict rules. */
export function addressErrors(text: string, field: string): FieldError[] {
  return parseAddress(text) === undefined ? [invalidField(field, text, addressText)] : [];
}

/** Errors of an address in a field that takes only the canonical form. */
export function strictAddressErrors(text: string, field: string): FieldError[] {
  const address = parseAddress(text);
  if (address === undefined) return addressErrors(text, field);
  if (address.isOdd) {
    const why = text.includes(':') ? 'must not be an IPv4-mapped IPv6 address' : 'must not have leading 0s';
    return [invalidField(field, text, why)];
  }
  return address.text === text ? [] : [invalidField(field, text, `must be in canonical form ("${address.text}")`)];
}

/** Errors of a network in a field that is older than the strict rules. */
export function networkErrors(text: string, field: string): FieldError[] {
  return parseNetwork(text) === undefined ? [invalidField(field, text, cidrText)] : [];
}

/** Errors of a network in a field that takes only the canonical form. */
export function strictNetworkErrors(text: string, field: string): FieldError[] {
  const network = parseNetwork(text);
  if (network === undefined) return networkErrors(text, field);
  if (network.address.isOdd) {
    const why = text.includes(':')
      ? 'must not have an IPv4-mapped IPv6 address'
      : 'must not have leading 0s in IP or prefix length';
    return [invalidField(field, text, why)];
  }
  if (/\/0\d/.test(text)) return [invalidField(field, text, 'must not have leading 0s in IP or prefix length')];
  if (network.first !== network.address.value) {
    return [invalidField(field, text, 'must not have bits set beyond the prefix length')];
  }
  return network.text === text ? [] : [invalidField(field, text, `must be in canonical form ("${network.text}")`)];
}

/** Warnings about an address that is valid, but not written as it should be. */
export function addressWarnings(text: string, field: string): string[] {
  const address = parseAddress(text);
  if (address === undefined) return [];
  if (address.isOdd) {
    const why = `non-standard IP address "${text}" will be considered invalid in a future Kubernetes release`;
    return [`${field}: ${why}: use "${address.text}"`];
  }
  if (address.family === 4 || address.text === text) return [];
  return [`${field}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${address.text}")`];
}

/** The same for a network. */
export function networkWarnings(text: string, field: string): string[] {
  const network = parseNetwork(text);
  if (network === undefined) return [];
  const { address } = network;
  const warnings: string[] = [];
  if (network.first !== address.value) {
    const single = `${address.text}/${bitsOf(address.family)}`;
    const why = `CIDR value "${text}" is ambiguous in this context (should be "${network.text}" or "${single}"?)`;
    warnings.push(`${field}: ${why}`);
  }
  if (address.isOdd || /\/0\d/.test(text)) {
    const why = `non-standard CIDR value "${text}" will be considered invalid in a future Kubernetes release`;
    warnings.push(`${field}: ${why}: use "${network.text}"`);
  }
  if (warnings.length > 0 || address.family === 4 || text === network.text) return warnings;
  return [`${field}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format ("${network.text}")`];
}

const specialRanges = [
  { text: 'may not be in the loopback range (127.0.0.0/8, ::1/128)', networks: ['127.0.0.0/8', '::1/128'] },
  { text: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)', networks: ['169.254.0.0/16', 'fe80::/10'] },
  {
    text: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    networks: ['224.0.0.0/24', 'ff02::/16'],
  },
].map(({ text, networks }) => ({ text, networks: networks.map(parseNetwork) }));

function isWithin(address: Address, network: Network | undefined): boolean {
  if (network === undefined || network.address.family !== address.family) return false;
  const rest = BigInt(bitsOf(address.family) - network.prefixLength);
  return address.value >> rest === network.first >> rest;
}

/** Errors of an address that traffic is sent to: none that means this machine or this link. */
export function endpointAddressErrors(text: string, field: string): FieldError[] {
  const address = parseAddress(text);
  if (address === undefined) return [invalidField(field, text, 'must be a valid IP address')];
  if (address.value === 0n) return [invalidField(field, text, `may not be unspecified (${text})`)];
  return specialRanges
    .filter(({ networks }) => networks.some((network) => isWithin(address, network)))
    .map((range) => invalidField(field, text, range.text));
}

/** Errors of a port's number. */
export function portNumberErrors(port: number, field: string): FieldError[] {
  return port >= 1 && port <= 65_535 ? [] : [invalidField(field, port, 'must be between 1 and 65535, inclusive')];
}

/** Why a text may not name a port. */
export function portNameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (/^-|-$/.test(name)) problems.push('must not begin or end with a hyphen');
  return problems;
}

/** Errors of a port that may be given by number or by name. */
export function portErrors(port: unknown, field: string): FieldError[] {
  if (typeof port === 'string') return portNameProblems(port).map((problem) => invalidField(field, port, problem));
  return portNumberErrors(typeof port === 'number' ? port : 0, field);
}
