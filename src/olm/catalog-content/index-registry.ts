import { withDeadline } from '../../base/index.ts';
import { readRegistry } from '../../catalog/index.ts';
import { indexMetas } from './index-metas.ts';
import { resolveRegistryAddress } from './registry-address.ts';
import type { RegistryJob, UnpackedCatalog } from './unpack-job.ts';

/** Makes the index of what a registry serves over gRPC, in plain text.
 *  @throws TerminalError InvalidAddress, AddressRefused · as `readRegistry` */
export async function indexRegistry(job: RegistryJob, signal: AbortSignal): Promise<UnpackedCatalog> {
  const { address, settings, file } = job;
  const options = { deadlineMs: settings.deadlineMs, signal };
  return await withDeadline(`read grpc://${address}`, options, async (ending) => {
    const endpoints = await resolveRegistryAddress(address, ending);
    return await indexMetas(readRegistry(address, { signal: ending, endpoints, hasHeads: true }), file, ending);
  });
}
