/** The walkthrough, and the servers of the examples. Main functions: `startExampleServers`, `playThroughApi`.
 *  @imports cli/process, src/catalog, src/base */
export { playThroughApi } from './api-player.ts';
export { documentedPorts, type ExampleServers, startExampleServers } from './example-servers.ts';
export { hasKubectl, runKubectl } from './kubectl.ts';
export { type CommandResult, runLongshore } from './program.ts';
export { type Step, story } from './story.ts';
