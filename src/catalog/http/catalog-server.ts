import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../base/index.ts';
import { CatalogHandler, type CatalogHandlerOptions } from './catalog-handler.ts';

export interface CatalogServerOptions extends CatalogHandlerOptions, HttpServerOptions {}

/** Catalogs that are served over HTTP. Disposing it lets answers end that are under way, for a while. */
export type CatalogServer = HttpServer;

/** Serves catalogs, over HTTPS where a certificate is given.
 *  @throws Error when the port is taken
 *  @see CatalogHandler */
export async function startCatalogServer(options: CatalogServerOptions): Promise<CatalogServer> {
  const handler = new CatalogHandler(options);
  return await startHttpServer((request, response) => void handler.handle(request, response), options);
}
