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
    // AWS.
    ['fd00:ec2::', 32],
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

function isIn(list: BlockList, address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(bare);
  return family !== 0 && list.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether an IP address is link-local, or the metadata service of a cloud; IPv4 within IPv6 included. */
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
