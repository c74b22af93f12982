import { TerminalError } from '../../../src/base/index.ts';
import type { OptionValues } from '../../command/index.ts';

/** Options of `catalog serve`. */
export const serveOptions = {
  'grpc-port': {
    kind: 'number',
    placeholder: 'PORT',
    default: 50_051,
    range: [0, 65_535],
    description: 'Port of the gRPC API; 0 selects a free port.',
  },
  'http-port': {
    kind: 'number',
    placeholder: 'PORT',
    range: [0, 65_535],
    description: 'Also serve the catalogd HTTP API on this port; 0 selects a free port.',
  },
  'http-name': {
    kind: 'text',
    placeholder: 'NAME',
    default: 'catalog',
    description: 'Catalog name in the HTTP API: /catalogs/NAME/api/v1/all and /metas.',
  },
  'bind-address': {
    kind: 'text',
    placeholder: 'ADDRESS',
    description: 'Address to listen on, for example 127.0.0.1 (default: all addresses).',
  },
  threads: {
    kind: 'number',
    placeholder: 'COUNT',
    range: [1, 64],
    default: 1,
    description:
      'Number of gRPC threads, 1 to 64; more than 1 requires Linux. Each thread after the first uses about 45 MiB of memory.',
  },
  'cache-dir': {
    kind: 'text',
    placeholder: 'DIR',
    description: 'Store the catalog index in DIR and reuse it at the next start (default: a temporary index).',
  },
  'cache-only': {
    kind: 'flag',
    default: false,
    description: 'Build the index in --cache-dir and exit.',
  },
  'cache-enforce-integrity': {
    kind: 'flag',
    description:
      'Exit with an error if the index in --cache-dir does not match the catalog, instead of rebuilding it. Disable with --no-cache-enforce-integrity or --cache-only.',
  },
  'allow-invalid': {
    kind: 'flag',
    default: false,
    description:
      'Serve an invalid catalog, with a warning that lists its errors. By default it is refused, as by opm serve.',
  },
  'termination-log': {
    kind: 'text',
    placeholder: 'FILE',
    description: 'Write the reason of a failure to FILE, for the kubelet: /dev/termination-log.',
  },
} as const;

type Values = OptionValues<typeof serveOptions>;

/** What is done about the index that is kept. */
export interface CachePlan {
  readonly dir: string | undefined;
  readonly isOnly: boolean;
  readonly isEnforced: boolean;
  /** An invalid catalog is served, too. */
  readonly isInvalidAllowed: boolean;
}

/** @throws TerminalError InvalidOption */
export function readCachePlan(values: Values): CachePlan {
  const dir = values['cache-dir'];
  const isOnly = values['cache-only'] === true;
  const enforce = values['cache-enforce-integrity'];
  if (dir === undefined && enforce === true) {
    throw new TerminalError('InvalidOption', '--cache-dir must be specified with --cache-enforce-integrity');
  }
  if (dir === undefined && isOnly) {
    throw new TerminalError('InvalidOption', '--cache-dir must be specified with --cache-only');
  }
  const isEnforced = dir !== undefined && (enforce === undefined ? !isOnly : enforce === true);
  return { dir, isOnly, isEnforced, isInvalidAllowed: values['allow-invalid'] === true };
}
