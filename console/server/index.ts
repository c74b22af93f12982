/** The backend of the web console: sessions, a proxy to the API server with the viewer's own credentials, one stream of events, commands of the program.
 *  Main type: `ConsoleServer`. Has no permissions of its own, and no rules about what objects mean: those are of `src/installations` and the commands.
 *  @imports src/apply, src/installations, src/installations/contract, src/kube, src/api, src/base
 *  @packages fastify, openid-client */
export type { CommandOutput, CommandRun, RunCommand } from './commands/command.ts';
export { RecentLines } from './log/recent-lines.ts';
export { type ConsoleOptions, type ConsoleServer, startConsole } from './server.ts';
export type { OidcSettings } from './sign-in/oidc.ts';
