import { BlockList, isIP } from 'node:net';

function listOf(ipv4: readonly (readonly [string, number])[], ipv6: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ipv4) list.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of ipv6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

const loopback = listOf(
  [
    ['127.0.0.0', 8],
    ['0.0.0.0', 8],
  ],
  [
    ['::1', 128],
    ['::', 128],
  ],
);
/** Link-local networks, and the addresses outside of them at which clouds give credentials to their machines. */
const linkLocal = listOf(
  [
    ['169.254.0.0', 16],
    // Alibaba Cloud, Azure and Oracle Cloud.
    ['100.100.100.200', 32],
    ['168.63.129.16', 32],
    ['192.0.0.192', 32],
  ],
  [
    ['fe80::', 10],
    // AWS, Google Cloud, Oracle Cloud, Scaleway and Akamai.
    ['fd00:ec2::', 32],
    ['fd20:ce::254', 128],
    ['fd00:c1::a9fe:a9fe', 128],
    ['fd00:42::42', 128],
    ['fd00:a9fe:a9fe::1', 128],
  ],
);

/** Networks that are not routed on the internet. */
const privateNetworks = listOf(
  [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['100.64.0.0', 10],
  ],
  [['fc00::', 7]],
);

/** IPv6 networks whose addresses stand for IPv4 ones, and the group of 16 bits at which these begin: translation (NAT64, its private form, SIIT), 6to4,
 *  and compatible addresses. `BlockList` knows mapped ones (`::ffff:0:0/96`).
 *  @see RFC 6052, RFC 8215, RFC 2765, RFC 3056, RFC 4291 */
const translations: readonly { readonly list: BlockList; readonly group: number }[] = [
  { list: listOf([], [['64:ff9b::', 96]]), group: 6 },
  { list: listOf([], [['64:ff9b:1::', 48]]), group: 6 },
  { list: listOf([], [['::ffff:0:0:0', 96]]), group: 6 },
  { list: listOf([], [['::', 96]]), group: 6 },
  { list: listOf([], [['2002::', 16]]), group: 1 },
];

/** The eight groups of 16 bits of an IPv6 address. */
export function groupsOfAddress(address: string): readonly number[] {
  // URLs have addresses in one form, without IPv4 notation.
  const [start = '', end] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const read = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [before, after] = [read(start), read(end ?? '')];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/** The IPv4 addresses that an IPv6 one may stand for. */
function translated(address: string): readonly string[] {
  const found = translations.filter(({ list }) => list.check(address, 'ipv6'));
  if (found.length === 0) return [];
  const groups = groupsOfAddress(address);
  return found.map(({ group }) =>
    groups
      .slice(group, group + 2)
      .flatMap((bits) => [bits >> 8, bits & 0xff])
      .join('.'),
  );
}

function isIn(list: BlockList, address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(bare);
  if (family !== 6) return family === 4 && list.check(bare, 'ipv4');
  return list.check(bare, 'ipv6') || translated(bare).some((ipv4) => list.check(ipv4, 'ipv4'));
}

/** Whether an IP address is link-local, or the metadata service of a cloud; IPv4 within IPv6 included, translated too. */
export function isLinkLocalAddress(address: string): boolean {
  return isIn(linkLocal, address);
}

/** Whether an IP address is one of the machine itself or of its link; IPv4 within IPv6 included. */
export function isLocalAddress(address: string): boolean {
  return isIn(loopback, address) || isLinkLocalAddress(address);
}

/** Whether an IP address is in a private network, or one of the machine itself or of its link; IPv4 within IPv6 included. */
export function isPrivateAddress(address: string): boolean {
  return isIn(privateNetworks, address) || isLocalAddress(address);
}
