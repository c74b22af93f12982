import type { JsonObject } from '../../../src/base/index.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session } from '../sessions.ts';
import type { CommandOutput, CommandRun, RunCommand, Words } from './command.ts';

/** Commands are processes: two cores run two of them. */
const maxRunning = 3;
const maxWaiting = 24;
const maxOfUser = 8;

/** Of one user, so that others get a turn. */
const maxRunningOfUser = 2;

interface Turn {
  readonly tenant: string;
  readonly begin: () => void;
}

/** Lets so many run, and so many wait. */
class Turns {
  readonly #running: string[] = [];
  readonly #waiting: Turn[] = [];

  async take<T>({ tenant }: Session, work: () => Promise<T>): Promise<T> {
    const own = [...this.#running, ...this.#waiting.map((turn) => turn.tenant)].filter((one) => one === tenant);
    if (own.length >= maxOfUser || this.#waiting.length >= maxWaiting) {
      throw new ConsoleProblem(429, 'TooManyCommands', { message: 'too many commands run: try again in a moment' });
    }
    await new Promise<void>((begin) => {
      this.#waiting.push({ tenant, begin });
      this.#beginNext();
    });
    try {
      return await work();
    } finally {
      this.#running.splice(this.#running.indexOf(tenant), 1);
      this.#beginNext();
    }
  }

  /** The first in the queue whose user may run one more. */
  #beginNext(): void {
    const mayRun = ({ tenant }: Turn): boolean => {
      return this.#running.filter((one) => one === tenant).length < maxRunningOfUser;
    };
    const next = this.#running.length < maxRunning ? this.#waiting.findIndex(mayRun) : -1;
    const [turn] = next === -1 ? [] : this.#waiting.splice(next, 1);
    if (turn === undefined) return;
    this.#running.push(turn.tenant);
    turn.begin();
  }
}

/** The credentials of the viewer as the commands of the program read them. */
async function kubeconfigOf({ kubeconfigPath, access }: Session): Promise<CommandRun['kubeconfig']> {
  if (kubeconfigPath !== undefined) return { path: kubeconfigPath };
  const { authorization = '' } = await access.headers();
  const { ca } = await access.tls();
  const cluster = {
    server: access.server,
    ...(ca === undefined ? {} : { 'certificate-authority-data': ca.toString('base64') }),
  };
  const document: JsonObject = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'console',
    clusters: [{ name: 'console', cluster }],
    users: [{ name: 'console', user: { token: authorization.replace(/^Bearer /, '') } }],
    contexts: [{ name: 'console', context: { cluster: 'console', user: 'console' } }],
  };
  return { document };
}

/** Standard output, parsed where it is JSON. */
export function outputOf(stdout: string): unknown {
  const text = stdout.trim();
  if (!/^[[{]/.test(text)) return stdout;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return stdout;
  }
}

/** Runs commands of the program as the viewer, so many at a time. */
export interface CommandRunner {
  run(session: Session, words: Words, signal: AbortSignal): Promise<CommandOutput>;
}

/** All commands of a console go through one of these. */
export function createCommandRunner(runCommand: RunCommand): CommandRunner {
  const turns = new Turns();
  return {
    run: async (session, { args, files = new Map() }, signal) => {
      const kubeconfig = await kubeconfigOf(session);
      return await turns.take(session, () => runCommand({ args, files, kubeconfig, signal }));
    },
  };
}
