/** Everything of Longshore in one process, with an API server of its own or on another cluster. Main function: `startPlatform`.
 *  @imports cli/console, cli/examples, cli/install, cli/runtime, cli/settings, cli/client, cli/process, cli/output, cli/command, apiserver, manager,
 *    webhook, src/catalog, src/content, src/kube, src/metrics, src/constraints, src/api, src/base */
export { followChanges } from './changes.ts';
export { openUpConsole } from './local-console.ts';
export { type Platform, startPlatform } from './platform.ts';
