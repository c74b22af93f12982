import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type ContentLimits, defaultContentLimits, noProxies, type ProxySettings } from '../../src/base/index.ts';
import { defaultPlatform } from '../../src/sources/index.ts';
import type { SharedStoreSettings } from './shared-store.ts';

import type { UnpackerOptions } from './unpacker.ts';

/** `UnpackerOptions` with every default filled in; crosses threads. */
export interface UnpackerSettings {
  readonly storeDir: string;
  readonly limits: ContentLimits;
  readonly insecureRegistries: readonly string[];
  readonly registryCaPem: readonly string[];
  readonly gitCaPem: readonly string[];
  readonly httpCaPem: readonly string[];
  readonly unpackDeadlineMs: number;
  readonly answerDeadlineMs: number;
  readonly threads: number;
  readonly threadHeapMebibytes: number;
  readonly layerCacheBytes: number;
  readonly storeBytes: number;
  readonly storeRestMs: number;
  readonly platform: string;
  readonly programPath: string;
  readonly helm: { readonly program: string; readonly searchPath: string };
  readonly allowsUnnamedHosts: boolean;
  readonly proxies: ProxySettings;
  readonly shared: SharedStoreSettings | undefined;
  /** Authenticates the parsed objects that this process stores. */
  readonly storeKey: Uint8Array;
}

const programPath = '/usr/local/bin:/usr/bin:/bin';

/** The one place of the unpacker's defaults. */
export function completeSettings({
  readMirrors: _mirrors,
  readImagePolicy: _policy,
  ...options
}: UnpackerOptions): UnpackerSettings {
  const defaults = {
    insecureRegistries: [],
    registryCaPem: [],
    gitCaPem: [],
    httpCaPem: [],
    unpackDeadlineMs: 15 * 60_000,
    // The thread of the controllers needs a core, too.
    threads: Math.min(2, Math.max(1, availableParallelism() - 1)),
    threadHeapMebibytes: 512,
    layerCacheBytes: 2 * 1024 ** 3,
    storeRestMs: 10 * 60_000,
    platform: defaultPlatform(),
    programPath,
    helm: { program: 'helm', searchPath: programPath },
    allowsUnnamedHosts: false,
    proxies: noProxies,
    shared: undefined,
    storeKey: randomBytes(32),
  };
  return { ...defaults, ...options, limits: { ...defaultContentLimits, ...options.limits } };
}
