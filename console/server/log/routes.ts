import type { FastifyInstance } from 'fastify';
import { type JsonObject, objectAt, objectsAt, parseJson, textAt } from '../../../src/base/index.ts';
import { ConsoleProblem } from '../problem.ts';
import type { Session, Sessions } from '../sessions.ts';
import type { LogLine, LogResult } from '../wire.ts';
import { installationLines, type LoggedInstallation } from './installation-lines.ts';
import type { RecentLines } from './recent-lines.ts';

const namespace = 'rukpak-system';
const selector = 'app=core';
const maxPods = 8;
const tailLines = 2_000;
const limitBytes = 1024 * 1024;
const maxLines = 500;

/** @throws ConsoleProblem with what the API server refused it for */
async function read({ transport }: Session, path: string, accept: string): Promise<string> {
  const { status, text } = await transport.exchange({ method: 'GET', path, accept });
  if (status < 400) return text;
  const problem = text.startsWith('{') ? (JSON.parse(text) as { reason?: string; message?: string }) : {};
  throw new ConsoleProblem(status, problem.reason ?? 'LogUnreadable', {
    message: problem.message ?? `GET ${path}: ${status}`,
  });
}

function podNames(text: string): readonly string[] {
  const pods = objectsAt(parseJson('pods', text) as JsonObject, 'items');
  const names = pods.map((pod) => textAt(objectAt(pod, 'metadata'), 'name'));
  return names.filter((name) => /^[a-z0-9][a-z0-9.-]*$/.test(name)).slice(0, maxPods);
}

/** The logs of the controllers' Pods, with the permissions of the viewer. A Pod that is only starting has none.
 *  @throws ConsoleProblem where none can be read */
async function podLines(session: Session, about: LoggedInstallation): Promise<Omit<LogResult, 'command'>> {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const query = `labelSelector=${encodeURIComponent(selector)}&limit=${maxPods}`;
  const names = podNames(await read(session, `${pods}?${query}`, 'application/json'));
  const found: LogLine[] = [];
  const problems: (readonly [string, ConsoleProblem])[] = [];
  for (const name of names) {
    const path = `${pods}/${name}/log?tailLines=${tailLines}&limitBytes=${limitBytes}`;
    try {
      found.push(...installationLines((await read(session, path, '*/*')).split('\n'), about, name));
    } catch (thrown) {
      if (!(thrown instanceof ConsoleProblem)) throw thrown;
      problems.push([name, thrown]);
    }
  }
  const [first] = problems;
  if (first !== undefined && problems.length === names.length) throw first[1];
  const lines = found.toSorted((a, b) => (a.time < b.time ? -1 : 1)).slice(-maxLines);
  return { lines, unread: problems.map(([pod, { message }]) => ({ pod, why: message })) };
}

function aboutOf(url: string): LoggedInstallation {
  const query = new URLSearchParams(url.split('?', 2)[1] ?? '');
  const [kind = '', place = '', name = ''] = ['kind', 'namespace', 'name'].map((field) => query.get(field) ?? '');
  const isValid =
    /^[A-Za-z]{1,63}$/.test(kind) && /^[a-z0-9.-]{0,253}$/.test(place) && /^[a-z0-9.-]{1,253}$/.test(name);
  if (isValid) return { kind, namespace: place, name };
  throw new ConsoleProblem(400, 'InvalidRequest', { message: 'expected kind, namespace and name of an installation' });
}

/** `/api/log?kind=…&namespace=…&name=…`: what the controllers logged about an installation. The log of this process is for the user who started it alone;
 *  that of a cluster is read as the viewer. */
export function addLog(app: FastifyInstance, sessions: Sessions, recent: RecentLines | undefined): void {
  app.get('/api/log', async (request): Promise<LogResult> => {
    const session = sessions.require(request);
    const about = aboutOf(request.url);
    if (recent !== undefined && session.method === 'link') {
      return { lines: installationLines(recent.lines(), about, ''), unread: [], command: '' };
    }
    const command = `kubectl logs -n ${namespace} -l ${selector} --prefix --tail=${tailLines} | grep ${about.name}`;
    return { ...(await session.counted(() => podLines(session, about))), command };
  });
}
