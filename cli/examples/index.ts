/** The servers of the examples: an image registry and a git server, with the bundles of `examples/`. Main function: `startExampleServers`.
 *  @imports cli/process, src/catalog, src/base */
export { documentedPorts, type ExampleServers, startExampleServers } from './example-servers.ts';
