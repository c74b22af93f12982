/** The web console: on this machine beside `up` and `demo`, or on a cluster. Main function: `startLocalConsole`.
 *  @imports cli/client, cli/process, cli/output, cli/command, console/server, src/kube, src/base */
export { RecentLines } from '../../console/server/index.ts';
export { startLocalConsole } from './local.ts';
