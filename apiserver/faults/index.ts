/** Faults on demand, for tests of clients and controllers. Main type: `Faults`.
 *  They meet requests that come over the network, never the server's own controllers nor the in-process client.
 *  @imports apiserver/http, apiserver/core, src/base */
export type { FaultError } from './errors.ts';
export { type Fault, type FaultOptions, Faults } from './faults.ts';
export type { RequestMatch } from './match.ts';
