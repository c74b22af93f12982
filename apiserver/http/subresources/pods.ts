import { isJsonObject } from '../../../src/base/index.ts';
import { badRequest, type KubeObject, type StatusError } from '../../core/index.ts';
import type { ResourceCall } from '../api-parts.ts';
import { type Reply, textReply } from '../exchange.ts';
import { readObject } from '../read-handlers.ts';
import { targetOf } from '../write-handlers.ts';
import { readWriteOptions } from '../write-options.ts';

/** On a pod, by its template: what its containers would have written. */
const logAnnotation = 'apiserver.longshore.dev/log';

function containerOf(call: ResourceCall, pod: KubeObject): string {
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
  const [first] = Array.isArray(spec['containers']) ? spec['containers'] : [];
  const name = isJsonObject(first) && typeof first['name'] === 'string' ? first['name'] : '';
  return call.exchange.query.get('container') ?? name;
}

/** The last lines of a text, as `tailLines` and `limitBytes` of the query ask for. */
function cutLog(text: string, { query }: ResourceCall['exchange']): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const count = Number(query.get('tailLines') ?? lines.length);
  const last = lines.slice(Math.max(0, lines.length - count)).map((line) => `${line}\n`);
  return Buffer.from(last.join(''))
    .subarray(0, Number(query.get('limitBytes') ?? Infinity))
    .toString('utf8');
}

/** There is nothing that runs: the log is what the annotation of the pod gives, or there is none. */
export async function readLog(call: ResourceCall): Promise<Reply> {
  const pod = readObject(call);
  const log = pod.metadata.annotations?.[logAnnotation];
  if (log !== undefined) return textReply(200, cutLog(log, call.exchange));
  const container = containerOf(call, pod);
  throw badRequest(
    `container ${JSON.stringify(container)} in pod ${JSON.stringify(call.request.name)} has no log: this server runs no containers`,
  );
}

const flags = ['stdin', 'stdout', 'stderr', 'tty'];

/** `PodExecOptions` and its like, from the query. */
function connectionOptions({ exchange, request, type }: ResourceCall): KubeObject {
  const sub = type.subresources.find(({ name }) => name === request.subresource);
  const { query } = exchange;
  const set = flags.filter((flag) => ['1', 'true'].includes(query.get(flag) ?? ''));
  const container = query.get('container');
  const command = query.getAll('command');
  const ports = query.getAll('ports').flatMap((text) => text.split(',').map(Number));
  return {
    kind: sub?.kind ?? '',
    apiVersion: 'v1',
    ...Object.fromEntries(set.map((flag) => [flag, true])),
    ...(container === null ? {} : { container }),
    ...(command.length === 0 ? {} : { command }),
    ...(ports.length === 0 ? {} : { ports }),
  } as unknown as KubeObject;
}

/** Asks admission whether the user may connect to the pod.
 *  @throws StatusError 403 */
export async function admitStream(call: ResourceCall): Promise<void> {
  const { context } = readWriteOptions(call, 'CreateOptions');
  await call.parts.writer.admitConnection(targetOf(call), connectionOptions(call), context);
}

export function nothingRuns({ request }: ResourceCall): StatusError {
  return badRequest(`pod ${request.name} does not have a host assigned: this server runs no containers`);
}

/** exec, attach and proxy need something that runs. */
export async function refuseStream(call: ResourceCall): Promise<Reply> {
  await admitStream(call);
  readObject(call);
  throw nothingRuns(call);
}
