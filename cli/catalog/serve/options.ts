import { TerminalError } from '../../../src/base/index.ts';
import { type OptionSpec, type OptionValues, processLogOption } from '../../command/index.ts';

/** Options of `catalog serve`. */
export const serveOptions: readonly OptionSpec[] = [
  {
    name: 'grpc-port',
    kind: 'number',
    placeholder: 'PORT',
    default: 50_051,
    sentence: 'Port of the gRPC API; 0 takes a free one.',
  },
  {
    name: 'http-port',
    kind: 'number',
    placeholder: 'PORT',
    sentence: 'Serve over HTTP, too, as catalogd does, on this port; 0 takes a free one.',
  },
  {
    name: 'http-name',
    kind: 'text',
    placeholder: 'NAME',
    default: 'catalog',
    sentence: 'What the catalog is called there: /catalogs/NAME/api/v1/all and /metas.',
  },
  {
    name: 'bind-address',
    kind: 'text',
    placeholder: 'ADDRESS',
    sentence: 'Listen on this address alone, for example 127.0.0.1; without it on all.',
  },
  {
    name: 'threads',
    kind: 'number',
    placeholder: 'COUNT',
    sentence:
      'Answer gRPC calls in COUNT threads, 1 to 64; more than 1 on Linux only. Each one beyond the first takes some 45 MiB of memory. Default: 2 on Linux with more than one CPU, else 1.',
  },
  {
    name: 'cache-dir',
    kind: 'text',
    placeholder: 'DIR',
    sentence: 'Keep the index of the catalog in DIR, for the next start; without it a temporary one is made.',
  },
  {
    name: 'cache-only',
    kind: 'flag',
    default: false,
    sentence: 'Make the index in --cache-dir and end.',
  },
  {
    name: 'cache-enforce-integrity',
    kind: 'flag',
    sentence:
      'End with an error where the index in --cache-dir is not the one that was made of the catalog, instead of making it anew. Otherwise switched off by --no-cache-enforce-integrity or --cache-only.',
  },
  {
    name: 'allow-invalid',
    kind: 'flag',
    default: false,
    sentence:
      'Serve a catalog that is not valid, with a warning that lists its errors; otherwise it is refused, as opm serve does.',
  },
  {
    name: 'termination-log',
    kind: 'text',
    placeholder: 'FILE',
    sentence: 'Write there why serving ended with an error, as kubelet reads it: /dev/termination-log.',
  },
  processLogOption,
];

/** What is done about the index that is kept. */
export interface CachePlan {
  readonly dir: string | undefined;
  readonly isOnly: boolean;
  readonly isEnforced: boolean;
  /** An invalid catalog is served, too. */
  readonly isInvalidAllowed: boolean;
}

/** @throws TerminalError InvalidOption */
export function readCachePlan(values: OptionValues): CachePlan {
  const dir = values['cache-dir'] as string | undefined;
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
