import { Failure, noSuchOverload, Opaque, type Value } from '../values/value.ts';
import type { Implementations } from './declare.ts';

/** An address, by its 4 or 16 bytes. */
class Ip extends Opaque {
  readonly typeName = 'net.IP';
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  override get costSize(): number {
    return Math.ceil(this.bytes.length);
  }

  get text(): string {
    return this.bytes.length === 4 ? this.bytes.join('.') : printIpv6(this.bytes);
  }

  equals(other: Opaque): boolean {
    return other instanceof Ip && this.bytes.join() === other.bytes.join();
  }
}

/** An address with the number of bits that name the network. */
class Cidr extends Opaque {
  readonly typeName = 'net.CIDR';
  readonly ip: Ip;
  readonly bits: number;

  constructor(ip: Ip, bits: number) {
    super();
    this.ip = ip;
    this.bits = bits;
  }

  override get costSize(): number {
    return Math.ceil(this.bits / 8);
  }

  get text(): string {
    return `${this.ip.text}/${this.bits}`;
  }

  equals(other: Opaque): boolean {
    return other instanceof Cidr && this.bits === other.bits && this.ip.equals(other.ip);
  }
}

function groupsOf(bytes: readonly number[]): number[] {
  return Array.from({ length: 8 }, (_, index) => (bytes[2 * index] ?? 0) * 256 + (bytes[2 * index + 1] ?? 0));
}

/** The longest run of two or more zero groups is written `::`. */
function printIpv6(bytes: readonly number[]): string {
  const groups = groupsOf(bytes);
  let [start, length] = [-1, 1];
  for (let index = 0; index < 8; index += 1) {
    let end = index;
    while (end < 8 && groups[end] === 0) end += 1;
    if (end - index > length) [start, length] = [index, end - index];
  }
  const show = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  return start < 0 ? show(groups) : `${show(groups.slice(0, start))}::${show(groups.slice(start + length))}`;
}

function readIpv4(text: string): number[] | string {
  const parts = text.split('.');
  for (const part of parts) {
    if (part === '') return 'IPv4 field must have at least one digit';
    if (!/^\d+$/.test(part)) return `unexpected character (at "${text.slice(text.search(/[^\d.]/))}")`;
    if (Number(part) > 255) return 'IPv4 field has value >255';
    if (part.length > 1 && part.startsWith('0')) return 'IPv4 field has octet with leading zero';
  }
  if (parts.length > 4) return 'IPv4 address too long';
  return parts.length < 4 ? 'IPv4 address too short' : parts.map(Number);
}

function bytesOfGroups(part: string): number[] | undefined {
  if (part === '') return [];
  const groups = part.split(':');
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    if (group.includes('.') && index === groups.length - 1) {
      const tail = readIpv4(group);
      if (typeof tail === 'string') return undefined;
      bytes.push(...tail);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    } else return undefined;
  }
  return bytes;
}

function readIpv6(text: string): number[] | string {
  const halves = text.split('::');
  const [head, tail] = [bytesOfGroups(halves[0] ?? ''), bytesOfGroups(halves[1] ?? '')];
  if (head === undefined || tail === undefined || halves.length > 2) return 'unable to parse IP';
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1) return missing === 0 ? head : 'address string too short';
  return missing < 2
    ? 'the :: must expand to at least one field of zeros'
    : [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function readAddress(text: string): number[] | string {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === '.') return readIpv4(text);
  if (first === ':') return readIpv6(text);
  return first === '%' ? 'missing IPv6 address' : 'unable to parse IP';
}

function isMapped(bytes: readonly number[]): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

function parseIp(text: string): Ip | Failure {
  const [address = '', zone] = text.split('%');
  const bytes = readAddress(zone === undefined || !address.includes(':') ? text : address);
  if (typeof bytes === 'string') {
    const why = `ParseAddr(${JSON.stringify(text)}): ${bytes}`;
    return new Failure(`IP Address ${JSON.stringify(text)} parse error during conversion from string: ${why}`);
  }
  if (zone !== undefined) return new Failure(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
  if (isMapped(bytes)) return new Failure(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return new Ip(bytes);
}

function prefixProblem(text: string): { readonly bytes: readonly number[]; readonly bits: number } | string {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return "no '/'";
  const bytes = readAddress(text.slice(0, slash));
  if (typeof bytes === 'string') return `ParseAddr(${JSON.stringify(text.slice(0, slash))}): ${bytes}`;
  const length = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d*)$/.test(length)) return `bad bits after slash: ${JSON.stringify(length)}`;
  return Number(length) > bytes.length * 8 ? 'prefix length out of range' : { bytes, bits: Number(length) };
}

function parseCidr(text: string): Cidr | Failure {
  const prefix = prefixProblem(text);
  if (typeof prefix === 'string') {
    const twice = 'network address parse error during conversion from string: ';
    return new Failure(`${twice}${twice}netip.ParsePrefix(${JSON.stringify(text)}): ${prefix}`);
  }
  if (isMapped(prefix.bytes)) {
    const why = `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`;
    return new Failure(`network address parse error during conversion from string: ${why}`);
  }
  return new Cidr(new Ip(prefix.bytes), prefix.bits);
}

function mask(bytes: readonly number[], bits: number): number[] {
  return bytes.map((byte, index) => {
    const kept = Math.max(0, Math.min(8, bits - index * 8));
    return byte & (0xff << (8 - kept));
  });
}

function hasIp(network: Cidr, ip: Ip): boolean {
  if (network.ip.bytes.length !== ip.bytes.length) return false;
  return mask(network.ip.bytes, network.bits).join() === mask(ip.bytes, network.bits).join();
}

function containsIp([network = null, other = null]: readonly Value[]): Value {
  const ip = typeof other === 'string' ? parseIp(other) : other;
  return network instanceof Cidr && ip instanceof Ip ? hasIp(network, ip) : noSuchOverload();
}

function containsCidr([network = null, other = null]: readonly Value[]): Value {
  const inner = typeof other === 'string' ? parseCidr(other) : other;
  if (!(network instanceof Cidr) || !(inner instanceof Cidr)) return noSuchOverload();
  return network.bits <= inner.bits && hasIp(network, inner.ip);
}

function onIp(compute: (bytes: readonly number[]) => Value) {
  return ([ip = null]: readonly Value[]): Value => (ip instanceof Ip ? compute(ip.bytes) : noSuchOverload(ip));
}

function onCidr(compute: (cidr: Cidr) => Value) {
  return ([cidr = null]: readonly Value[]): Value => (cidr instanceof Cidr ? compute(cidr) : noSuchOverload(cidr));
}

function onText(compute: (text: string) => Value) {
  return ([text = null]: readonly Value[]): Value => (typeof text === 'string' ? compute(text) : noSuchOverload(text));
}

function isMulticast(bytes: readonly number[]): boolean {
  return bytes.length === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

function isLoopback(bytes: readonly number[]): boolean {
  return bytes.length === 4 ? bytes[0] === 127 : bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
}

function isLinkLocal(bytes: readonly number[]): boolean {
  const [first = 0, second = 0] = bytes;
  return bytes.length === 4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80;
}

function isUnspecified(bytes: readonly number[]): boolean {
  return bytes.every((byte) => byte === 0);
}

function isGlobal(bytes: readonly number[]): boolean {
  const isBroadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  return !isUnspecified(bytes) && !isLoopback(bytes) && !isMulticast(bytes) && !isLinkLocal(bytes) && !isBroadcast;
}

function isLinkLocalMulticast([first = 0, second = 0, third = 0, ...rest]: readonly number[]): boolean {
  if (rest.length === 1) return first === 224 && second === 0 && third === 0;
  return first === 0xff && (second & 0x0f) === 2;
}

/** Functions on IP addresses and networks. */
export const addressFunctions: Implementations = {
  string_to_ip: onText(parseIp),
  cidr_ip: onCidr((cidr) => cidr.ip),
  isIP: onText((text) => !(parseIp(text) instanceof Failure)),
  'ip.isCanonical': onText((text) => {
    const ip = parseIp(text);
    return ip instanceof Failure ? ip : ip.text === text;
  }),
  family: onIp((bytes) => (bytes.length === 4 ? 4n : 6n)),
  isUnspecified: onIp(isUnspecified),
  isLoopback: onIp(isLoopback),
  isLinkLocalMulticast: onIp(isLinkLocalMulticast),
  isLinkLocalUnicast: onIp(isLinkLocal),
  isGlobalUnicast: onIp(isGlobal),
  cidr: onText(parseCidr),
  isCIDR: onText((text) => !(parseCidr(text) instanceof Failure)),
  containsIP: containsIp,
  containsCIDR: containsCidr,
  prefixLength: onCidr((cidr) => BigInt(cidr.bits)),
  masked: onCidr((cidr) => new Cidr(new Ip(mask(cidr.ip.bytes, cidr.bits)), cidr.bits)),
};
