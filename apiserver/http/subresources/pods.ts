import { isJsonObject, type JsonObject } from '../../../src/base/index.ts';
import { copyJson } from '../../registry/json-copy.ts';
import type { KubeObject } from '../../registry/kube-object.ts';
import { matchesLabelSelector } from '../../selectors/index.ts';
import type { ResourceCall } from '../api-parts.ts';
import { decodePlain } from '../decode-body.ts';
import { type Reply, readBody } from '../exchange.ts';
import { negotiateInput } from '../negotiation.ts';
import { encodeValue } from '../object-output.ts';
import { outputForm, readObject } from '../read-handlers.ts';
import { badRequest, conflict, invalid, StatusError } from '../status-error.ts';
import { targetOf } from '../write-handlers.ts';
import { readWriteOptions } from '../write-options.ts';

const success: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

async function readPlain(call: ResourceCall, kind: string): Promise<JsonObject> {
  const { exchange } = call;
  return decodePlain(await readBody(exchange.request), kind, negotiateInput(exchange.header('content-type')));
}

function statusOf(object: KubeObject): JsonObject {
  return isJsonObject(object['status']) ? object['status'] : {};
}

/** The budget that forbids to evict a pod just now. */
function blockingBudget(call: ResourceCall, pod: KubeObject): KubeObject | undefined {
  const phase = statusOf(pod)['phase'];
  if (phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending') return undefined;
  const budgets = call.parts.store.list('poddisruptionbudgets.policy', call.request.namespace);
  return budgets
    .map((entry) => entry.object)
    .filter((budget) => {
      const spec = isJsonObject(budget['spec']) ? budget['spec'] : {};
      return matchesLabelSelector(spec['selector'], pod.metadata.labels);
    })
    .find((budget) => Number(statusOf(budget)['disruptionsAllowed'] ?? 0) <= 0);
}

function disruptionRefused(budget: KubeObject): StatusError {
  const { desiredHealthy = 0, currentHealthy = 0 } = statusOf(budget) as Record<string, number>;
  const what = `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  const message = `The disruption budget ${budget.metadata.name} ${what}`;
  return new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message }] },
  });
}

/** `policy/v1 Eviction`: deletes the pod unless a disruption budget forbids it. */
export async function evictPod(call: ResourceCall): Promise<Reply> {
  const eviction = await readPlain(call, 'Eviction');
  const { context } = readWriteOptions(call, 'CreateOptions');
  const pod = readObject(call);
  const budget = blockingBudget(call, pod);
  if (budget !== undefined) throw disruptionRefused(budget);
  const options = isJsonObject(eviction['deleteOptions']) ? eviction['deleteOptions'] : {};
  const { gracePeriodSeconds } = options;
  const dryRun = context.dryRun || Array.isArray(options['dryRun']);
  const deletion = { gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined };
  await call.parts.writer.delete({ ...targetOf(call), subresource: undefined }, deletion, { ...context, dryRun });
  return encodeValue(201, success, outputForm(call, false));
}

/** `v1 Binding`: puts a pod on a node, once. */
export async function bindPod(call: ResourceCall): Promise<Reply> {
  const binding = await readPlain(call, 'Binding');
  const { context } = readWriteOptions(call, 'CreateOptions');
  const target = isJsonObject(binding['target']) ? binding['target'] : {};
  const node = typeof target['name'] === 'string' ? target['name'] : '';
  if (node === '') {
    const errors = [{ field: 'target.name', reason: 'FieldValueRequired' as const, message: 'Required value' }];
    throw invalid({ group: '', kind: 'Binding' }, call.request.name, errors);
  }
  const build = (live: KubeObject | undefined): KubeObject => {
    const pod = copyJson(live as KubeObject);
    const spec = pod['spec'] as JsonObject;
    if (typeof spec['nodeName'] === 'string' && spec['nodeName'] !== '') {
      const why = `pod ${call.request.name} is already assigned to node ${JSON.stringify(spec['nodeName'])}`;
      throw conflict({ group: '', plural: 'pods/binding' }, call.request.name, why);
    }
    spec['nodeName'] = node;
    return pod;
  };
  const request = { target: targetOf(call), build, createsAbsent: false, isTracked: false, isPatch: true };
  await call.parts.writer.update(request, context);
  return encodeValue(201, success, outputForm(call, false));
}

function containerOf(call: ResourceCall, pod: KubeObject): string {
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
  const [first] = Array.isArray(spec['containers']) ? spec['containers'] : [];
  const name = isJsonObject(first) && typeof first['name'] === 'string' ? first['name'] : '';
  return call.exchange.query.get('container') ?? name;
}

/** There is nothing that runs, so there is nothing to read. */
export async function refuseLog(call: ResourceCall): Promise<Reply> {
  const pod = readObject(call);
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

/** exec, attach, port-forward and proxy need something that runs; who may not, hears that first. */
export async function refuseStream(call: ResourceCall): Promise<Reply> {
  const { context } = readWriteOptions(call, 'CreateOptions');
  await call.parts.writer.admitConnection(targetOf(call), connectionOptions(call), context);
  readObject(call);
  throw badRequest(`pod ${call.request.name} does not have a host assigned: this server runs no containers`);
}
