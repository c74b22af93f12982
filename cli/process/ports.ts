import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull, TerminalError } from '../../src/base/index.ts';

const maxPort = 65_535;

/** The port that a server had last time, so that its address stays good over a restart; 0 when none is known. */
export async function rememberedPort(folder: string, name: string): Promise<number> {
  try {
    const port = Number.parseInt(await readFile(join(folder, name), 'utf8'), 10);
    return port > 0 && port <= maxPort ? port : 0;
  } catch {
    return 0;
  }
}

/** One that is remembered already is not written again; one that a full disk has no room for is not remembered. */
export async function rememberPort(folder: string, name: string, port: number): Promise<void> {
  if ((await rememberedPort(folder, name)) === port) return;
  try {
    await writeFile(join(folder, name), String(port));
  } catch (thrown) {
    if (!isDiskFull(thrown)) throw thrown;
  }
}

/** Whether another process listens there. */
export function isPortTaken(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE';
}

/** Starts a server on the port that an option names.
 *  @throws TerminalError PortTaken · what `start` throws */
export async function listenOn<Server>(
  option: string,
  port: number,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  try {
    return await start(port);
  } catch (thrown) {
    if (!isPortTaken(thrown)) throw thrown;
    const text = `--${option} ${port}: another program listens there: name another port, or 0 for a free one`;
    throw new TerminalError('PortTaken', text, { cause: thrown });
  }
}

/** Starts a server on the port of last time, or on another one when that is taken, and remembers it. A `port` that is not 0 is the only one tried.
 *  @throws what `start` throws */
export async function startOnRememberedPort<Server extends { readonly port: number }>(
  { folder, portFile, port }: { readonly folder: string; readonly portFile: string; readonly port: number },
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  let server: Server;
  try {
    server = await start(port === 0 ? await rememberedPort(folder, portFile) : port);
  } catch (thrown) {
    if (!isPortTaken(thrown) || port !== 0) throw thrown;
    server = await start(0);
  }
  await rememberPort(folder, portFile, server.port);
  return server;
}
