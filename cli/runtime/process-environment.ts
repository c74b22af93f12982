import type { ProcessEnvironment } from '../../manager/index.ts';
import { readProxySettings } from '../../src/base/index.ts';
import { packageVersion } from '../process/index.ts';

/** What this process has from its environment. */
export function processEnvironment(): ProcessEnvironment {
  return { proxies: readProxySettings(process.env), programPath: process.env['PATH'], version: packageVersion() };
}
