import { isIP } from 'node:net';
import {
  errorMessage,
  isLinkLocalAddress,
  lookupInTurn,
  serverText,
  TerminalError,
  TransientError,
} from '../../base/index.ts';
import type { RegistryEndpoint } from '../../catalog/index.ts';

/** Reason of errors about an address that only another one can correct. */
const invalidAddress = 'InvalidAddress';
const maxPort = 65_535;

/** A host by name or IP address, and a port. */
interface RegistryAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads `HOST:PORT`, with an IPv6 address in brackets. Schemes, which lead the library of gRPC to sockets of this machine as well, are refused.
 *  @throws TerminalError InvalidAddress */
function parseRegistryAddress(text: string): RegistryAddress {
  const [, ipv6, name, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9_.-]{1,253})):(\d{1,5})$/.exec(text) ?? [];
  const [host, port] = [ipv6 ?? name, Number(digits)];
  if (host !== undefined && port > 0 && port <= maxPort && (ipv6 === undefined || isIP(ipv6) === 6)) {
    return { host, port };
  }
  throw new TerminalError(invalidAddress, `address ${JSON.stringify(serverText(text, 300))}: expected HOST:PORT`);
}

async function addressesOf(
  host: string,
  signal: AbortSignal,
): Promise<readonly { readonly address: string; readonly family: number }[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  try {
    return await lookupInTurn(host, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    const message = `${host}: ${errorMessage(thrown)}`;
    throw new TransientError('ServerUnavailable', message, { cause: thrown });
  }
}

/** Where an address leads. Link-local addresses, at which clouds give credentials to their machines, are refused: the user who creates a
 *  CatalogSource chooses the address. The answer is to be connected to, so that the name cannot lead elsewhere meanwhile.
 *  @throws TerminalError InvalidAddress, AddressRefused · TransientError ServerUnavailable */
export async function resolveRegistryAddress(text: string, signal: AbortSignal): Promise<readonly RegistryEndpoint[]> {
  const { host, port } = parseRegistryAddress(text);
  const found = await addressesOf(host, signal);
  const refused = found.find(({ address }) => isLinkLocalAddress(address));
  if (refused !== undefined) {
    const what = `the address ${refused.address} is link-local or a metadata service: nothing is sent there`;
    throw new TerminalError('AddressRefused', `${text}: ${what}`);
  }
  const [first] = found;
  return found.filter(({ family }) => family === first?.family).map(({ address }) => ({ address, port }));
}
