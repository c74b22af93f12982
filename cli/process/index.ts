/** What long-running commands share: version, log, ports, and the wait for a signal to stop.
 *  @imports cli/command, src/base */
export { isPortTaken, listenOn, rememberedPort, rememberPort, startOnRememberedPort } from './ports.ts';
export { type LineTaker, openProcessLog } from './process-log.ts';
export { endSoon, requestStop, runsUntilStopped, untilStopped } from './stop.ts';
export { packageVersion, version } from './version.ts';
