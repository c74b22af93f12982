import type { RegistrySettings } from '../../manager/index.ts';
import type { Logger } from '../../src/base/index.ts';
import { type ImagePolicy, parseImagePolicy } from '../../src/image-policy/index.ts';
import { parseRegistryConfig, type RegistryMirror } from '../../src/sources/index.ts';
import { readAuthorities } from '../input/index.ts';
import type { ProvisionerConfig } from '../settings/index.ts';
import { openWatchedFile } from './watched-file.ts';

/** @throws TerminalError InvalidOption */
export async function openRegistrySettings(config: ProvisionerConfig, log: Logger): Promise<RegistrySettings> {
  const { registryCaPath, registryConfigPath, imagePolicyPath } = config;
  const registries = { option: '--registry-config', path: registryConfigPath, parse: parseRegistryConfig };
  const policy = { option: '--image-policy', path: imagePolicyPath, parse: parseImagePolicy };
  return {
    authorities: await readAuthorities(registryCaPath),
    mirrors: await openWatchedFile<readonly RegistryMirror[]>({ ...registries, absent: [], log }),
    imagePolicy: await openWatchedFile<ImagePolicy | undefined>({ ...policy, absent: undefined, log }),
  };
}
