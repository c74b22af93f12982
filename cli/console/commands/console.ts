import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ConsoleServer, type OidcSettings, startConsole } from '../../../console/server/index.ts';
import { fileProblem, type Logger, systemClock, TerminalError } from '../../../src/base/index.ts';
import { readAccess } from '../../client/index.ts';
import type { kubeconfigOption, logLevelOption, OptionValues } from '../../command/index.ts';
import { createTerminal } from '../../output/index.ts';
import { endSoon, openProcessLog, packageVersion, untilStopped } from '../../process/index.ts';
import { type LocalConsoleOptions, startLocalConsole } from '../local.ts';
import type { consoleOptions } from '../options.ts';
import { openPage } from '../page.ts';
import { createRunCommand } from '../run-command.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof consoleOptions & typeof logLevelOption>;

const defaultScopes = ['openid', 'email', 'groups', 'offline_access'];

function invalid(message: string): TerminalError {
  return new TerminalError('InvalidOption', message);
}

function addressOf({ 'bind-address': text }: Values): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) throw invalid(`--bind-address: expected HOST:PORT, found "${text}"`);
  return { host, port: Number(port) };
}

function urlOf(option: string, text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw invalid(`--${option}: expected http(s)://HOST[:PORT], found "${text}"`);
}

async function readOptional(option: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `--${option} ${path}: ${fileProblem(thrown)}`, { cause: thrown });
  }
}

async function oidcOf(values: Values): Promise<OidcSettings | undefined> {
  const { 'oidc-issuer-url': issuer, 'oidc-client-id': clientId, 'oidc-scope': scopes } = values;
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined)
    throw invalid('--oidc-issuer-url and --oidc-client-id: expected both');
  urlOf('oidc-issuer-url', issuer);
  const secret = await readOptional('oidc-client-secret-file', values['oidc-client-secret-file']);
  return { issuer, clientId, clientSecret: secret?.trim(), scopes: scopes.length === 0 ? defaultScopes : scopes };
}

async function tlsOf(values: Values): Promise<{ readonly cert: string; readonly key: string } | undefined> {
  const cert = await readOptional('tls-cert-file', values['tls-cert-file']);
  const key = await readOptional('tls-key-file', values['tls-key-file']);
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  throw invalid('--tls-cert-file and --tls-key-file: expected both');
}

/** For users who sign in themselves. */
async function startForUsers(server: string, values: Values, log: Logger): Promise<ConsoleServer> {
  const ca = await readOptional('api-server-ca', values['api-server-ca']);
  const url = urlOf('api-server', server);
  const access = { tls: async () => (ca === undefined ? {} : { ca: Buffer.from(ca) }) };
  return await startConsole({
    ...addressOf(values),
    externalUrl: urlOf('external-url', values['external-url']),
    tls: await tlsOf(values),
    proxyCount: values['proxy-count'],
    openStaticDir: openPage,
    cluster: { server: url?.origin ?? server, ...access },
    link: undefined,
    oidc: await oidcOf(values),
    runCommand: createRunCommand(),
    recentLines: undefined,
    isEmbedded: false,
    version: packageVersion(),
    clock: systemClock,
    log,
  });
}

async function startForKubeconfig(
  values: Values,
  log: Logger,
  onLink: LocalConsoleOptions['onLink'],
): Promise<ConsoleServer> {
  const { host, port } = addressOf(values);
  if (host !== '127.0.0.1') {
    throw invalid(
      `--bind-address ${host}: without --api-server the console is for the user of this machine alone: 127.0.0.1`,
    );
  }
  // Names the file where it cannot be read.
  await readAccess(values);
  const kubeconfigPath = values.kubeconfig ?? join(homedir(), '.kube', 'config');
  return await startLocalConsole({ kubeconfigPath, port, isEmbedded: false, log, isOpening: values.open, onLink });
}

/** `longshore console`: serves until it is stopped. */
export async function serveConsole(values: Values): Promise<number> {
  const terminal = createTerminal(process.stdout);
  const stopped = untilStopped();
  const log = await openProcessLog(values['log-level']);
  const onLink: LocalConsoleOptions['onLink'] = (url, isFirst) =>
    terminal.line(isFirst ? `console on ${url}` : `the link was used; the next one is ${url}`);
  const server = values['api-server'];
  await using ending = new AsyncDisposableStack();
  ending.defer(endSoon);
  const running = ending.use(
    server === undefined ? await startForKubeconfig(values, log, onLink) : await startForUsers(server, values, log),
  );
  if (server !== undefined) terminal.line(`console on ${running.url}`);
  await stopped;
  return 0;
}
