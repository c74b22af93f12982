import type { Meta } from '../meta.ts';
import type { RegistryReadOptions } from './registry-client.ts';
import type { RegistryServer, RegistryServerOptions } from './registry-server.ts';

// The library behind gRPC takes 16 MiB: commands that neither serve nor read a registry never load it.

/** Serves a catalog as api.Registry over gRPC, in plain text, with health and server reflection.
 *  @throws Error when the port is taken */
export async function startRegistryServer(options: RegistryServerOptions): Promise<RegistryServer> {
  const server = await import('./registry-server.ts');
  return await server.startRegistryServer(options);
}

/** The documents of the catalog that a registry serves, by packages.
 *  @throws as `readRegistry` of the client */
export async function* readRegistry(address: string, options: RegistryReadOptions = {}): AsyncGenerator<Meta> {
  const client = await import('./registry-client.ts');
  yield* client.readRegistry(address, options);
}
