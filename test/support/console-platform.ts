import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Browser, Page } from 'playwright-core';
import { parseOptions } from '../../cli/command/index.ts';
import { openPage } from '../../cli/console/page.ts';
import { createRunCommand } from '../../cli/console/run-command.ts';
import { startExampleServers } from '../../cli/examples/index.ts';
import type { Registry } from '../../cli/examples/registry.ts';
import { readConfig, upOptions } from '../../cli/settings/index.ts';
import { openUpConsole, type Platform, startPlatform } from '../../cli/up/index.ts';
import { type ConsoleServer, RecentLines, startConsole } from '../../console/server/index.ts';
import { createLogger, type Logger, systemClock } from '../../src/base/index.ts';
import { loadClusterAccess } from '../../src/kube/index.ts';
import { isRealCluster, openTestCluster } from '../e2e/test-cluster.ts';
import { openBrowser } from './browser.ts';

/** How a page is shown. */
export interface PageOptions {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
}

/** `longshore up` with its console, the examples, and a browser. */
export interface ConsolePlatform extends AsyncDisposable {
  readonly platform: Platform;
  readonly browser: Browser;
  /** Has the example images. */
  readonly registry: Registry;
  /** The one-time link that is valid now. */
  link(): string;
  /** A page that is signed in; it fails the test when anything is requested from elsewhere, or a script fails. */
  open(options?: PageOptions): Promise<Page>;
  /** A page of a console as it runs on a cluster, where a user has signed in with a token. */
  openAs(token: string, options?: PageOptions): Promise<Page>;
  /** Ends the console of `openAs`, and starts it again at its address. */
  restartForUsers(): Promise<void>;
  /** Ends the server of the pages. */
  stopConsole(): Promise<void>;
  /** What went wrong in pages: errors of scripts, refused loads, requests to other origins. */
  readonly troubles: string[];
}

/** Commands of the console run the program of this checkout. */
function nameProgram(): Disposable {
  const before = process.argv[1] ?? '';
  process.argv[1] = join(process.cwd(), 'cli', 'bin.js');
  return {
    [Symbol.dispose]: () => {
      process.argv[1] = before;
    },
  };
}

function follow(page: Page, origin: string, troubles: string[]): void {
  page.on('pageerror', (error) => troubles.push(`script: ${error.message}`));
  page.on('console', (message) => {
    const isExpected = /status of (401|403|404|409)/.test(message.text());
    if (message.type() === 'error' && !isExpected)
      troubles.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) troubles.push(`request: ${url}`);
  });
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}

/** A console whose users sign in themselves, as it runs on a cluster. */
async function startForUsers(kubeconfigPath: string, log: Logger, port = 0): Promise<ConsoleServer> {
  const { server, tls } = await loadClusterAccess({ path: kubeconfigPath });
  return await startConsole({
    host: '127.0.0.1',
    port,
    externalUrl: undefined,
    tls: undefined,
    proxyCount: 0,
    openStaticDir: openPage,
    cluster: { server, tls },
    link: undefined,
    oidc: undefined,
    runCommand: createRunCommand(),
    recentLines: undefined,
    isEmbedded: false,
    version: 'test',
    clock: systemClock,
    log,
  });
}

/** Starts everything, on the embedded server or a real one; `argsFor` gives further options of `longshore up`. */
export async function openConsolePlatform(
  argsFor: (registry: Registry) => Promise<readonly string[]> = () => Promise.resolve([]),
): Promise<ConsolePlatform> {
  await using stack = new AsyncDisposableStack();
  stack.use(nameProgram());
  const { registry } = stack.use(await startExampleServers());
  const dir = await mkdtemp(join(tmpdir(), 'longshore-console-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const cluster = stack.use(await openTestCluster(dir));
  const own = await argsFor(registry);
  // An external cluster may have another Operator Lifecycle Manager: it is asked for.
  const olm = isRealCluster && !own.includes('--no-olm') ? ['--olm'] : [];
  const args = [...cluster.args, ...olm, ...own];
  const { values } = parseOptions(upOptions, ['--no-examples', '--log-level', 'silent', ...args], {});
  const config = readConfig(values);
  const recentLines = new RecentLines();
  const destination = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      recentLines.add(String(chunk));
      done();
    },
  });
  const log = await createLogger({ level: 'info', destination });
  const platform = stack.use(await startPlatform(config, { log }));
  await cluster.whenGuarded(platform.kube);
  let link = '';
  const line = (text: string): void => {
    link = /http:\S+#\S+/.exec(text)?.[0] ?? link;
  };
  const running = await openUpConsole(config, platform, { log, terminal: { line }, recentLines });
  stack.defer(async () => await running?.[Symbol.asyncDispose]());
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const troubles: string[] = [];
  const newPage = async (origin: string, { theme = 'light', width = 1280 }: PageOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      viewport: { width, height: 860 },
      colorScheme: theme,
      reducedMotion: 'reduce',
    });
    // The page is built when it is first asked for.
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    follow(page, origin, troubles);
    return page;
  };
  let forUsers = await startForUsers(platform.kubeconfigPath, log);
  stack.defer(async () => await forUsers[Symbol.asyncDispose]());
  const owned = stack.move();
  return {
    platform,
    browser,
    registry,
    troubles,
    link: () => link,
    restartForUsers: async () => {
      await forUsers[Symbol.asyncDispose]();
      forUsers = await startForUsers(platform.kubeconfigPath, log, Number(new URL(forUsers.url).port));
    },
    stopConsole: async () => await running?.[Symbol.asyncDispose](),
    open: async (options) => {
      const page = await newPage(new URL(link).origin, options);
      await page.goto(link);
      await page.waitForSelector('.rail');
      return page;
    },
    openAs: async (token, options) => {
      const page = await newPage(forUsers.url, options);
      await page.goto(forUsers.url);
      await page.getByLabel('Bearer token').fill(token);
      await page.getByRole('button', { name: 'Sign in with a token' }).click();
      await page.waitForSelector('.rail');
      return page;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
