import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue, parseYaml } from '../../src/base/index.ts';
import type { Probe } from './probe.ts';
import { type Area, area } from './suite.ts';

/** One row of a manifest file: members to set (`spec/containers/0/image: x`), `null` takes a member away, `{$repeat: [text, times]}` stands for
 *  a long text. `~1` in a path is a slash. `name` is the case's whole name and `differs` its reason. */
type Row = Readonly<Record<string, JsonValue>>;

/** `create`: each row changes the base, which is then created. `update`: the base is created, then replaced by itself with the row's changes.
 *  Both as a dry run, with strict field validation. */
interface Group {
  readonly title: string;
  readonly base: JsonObject;
  readonly create?: readonly Row[];
  readonly update?: readonly Row[];
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

const shownLength = 200;

function expand(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(expand);
  if (!isJsonObject(value)) return value;
  const { $repeat: repeat } = value;
  if (Array.isArray(repeat)) return (repeat[0] as string).repeat(Number(repeat[1]));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member ?? null)]));
}

/** The container at the end of the path, made where it is missing: a list where the next step is a number. */
function walk(root: JsonObject, steps: readonly string[]): JsonObject {
  let current = root;
  steps.forEach((step, index) => {
    const next = steps[index + 1] ?? '';
    current[step] ??= /^\d+$/.test(next) ? [] : {};
    current = current[step] as JsonObject;
  });
  return current;
}

function set(root: JsonObject, path: string, value: JsonValue): void {
  const steps = path.split('/').map((step) => step.replaceAll('~1', '/'));
  const last = steps.at(-1) ?? '';
  const parent = walk(root, steps.slice(0, -1));
  // The container of the last step may itself be absent: `walk` made it an object, or found a list.
  if (value === null) delete parent[last];
  else parent[last] = expand(value);
}

function changesOf(row: Row): [string, JsonValue][] {
  return Object.entries(row).filter(([key]) => key !== 'name' && key !== 'differs');
}

function changed(base: JsonObject, row: Row): JsonObject {
  const object = expand(structuredClone(base)) as JsonObject;
  for (const [path, value] of changesOf(row)) set(object, path, value);
  return object;
}

function titleOf(group: Group, row: Row): string {
  if (typeof row['name'] === 'string') return row['name'];
  const changes = changesOf(row).map(([path, value]) => `${path}=${value === null ? 'none' : JSON.stringify(value)}`);
  const text = changes.length === 0 ? 'as it is' : changes.join(' ');
  return `${group.title} ${text.length > shownLength ? `${text.slice(0, shownLength)}…` : text}`;
}

function differenceOf(row: Row): { readonly differs?: string } {
  return typeof row['differs'] === 'string' ? { differs: row['differs'] } : {};
}

const irregular: Readonly<Record<string, string>> = { Endpoints: 'endpoints', Ingress: 'ingresses' };
const clusterScoped = new Set([
  'APIService',
  'CSIDriver',
  'CSINode',
  'CertificateSigningRequest',
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'FlowSchema',
  'IPAddress',
  'IngressClass',
  'MutatingWebhookConfiguration',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PriorityClass',
  'PriorityLevelConfiguration',
  'RuntimeClass',
  'ServiceCIDR',
  'StorageClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'VolumeAttachment',
]);

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  return irregular[kind] ?? lower.replace(/(s|x|ch)$/, '$1e').replace(/([^aeiou])y$/, '$1ie') + 's';
}

/** The path of the collection that the object belongs to; `default` is the namespace of all. */
export function collectionOf(object: JsonObject): string {
  const [version, kind] = [textAt(object, 'apiVersion'), textAt(object, 'kind')];
  const root = version === 'v1' ? '/api/v1' : `/apis/${version}`;
  const scope = clusterScoped.has(kind) ? '' : '/namespaces/default';
  return `${root}${scope}/${pluralOf(kind)}`;
}

const strictDryRun = 'dryRun=All&fieldValidation=Strict';

/** What is shown of an answer: managed fields depend on nothing that a manifest is about. */
function withoutManagedFields(body: unknown): unknown {
  if (!isJsonObject(body) || !isJsonObject(body['metadata'])) return body;
  const { managedFields: _fields, ...metadata } = body['metadata'];
  return { ...body, metadata };
}

async function create(api: Probe, object: JsonObject): Promise<void> {
  const path = `${collectionOf(object)}?${strictDryRun}`;
  await api.ask('POST', path, { body: object, keep: withoutManagedFields });
}

/** Kinds that are replaced only by name of the version that is replaced. */
const versioned = new Set([
  'APIService',
  'CSIDriver',
  'CSINode',
  'CustomResourceDefinition',
  'Lease',
  'MutatingWebhookConfiguration',
  'PodDisruptionBudget',
  'RuntimeClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'VolumeAttachment',
]);

/** Kinds that controllers work on while a case looks: of these only the spec is shown. */
const worked = new Set([
  'CronJob',
  'DaemonSet',
  'Deployment',
  'Job',
  'Pod',
  'PodDisruptionBudget',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
]);

function specOnly(body: unknown): unknown {
  return isJsonObject(body) && body['kind'] !== 'Status' ? { kind: body['kind'], spec: body['spec'] } : body;
}

async function update(api: Probe, base: JsonObject, row: Row): Promise<void> {
  const old = expand(structuredClone(base)) as JsonObject;
  const given = textAt(old['metadata'] as JsonObject, 'name');
  const name = given === 'subject' ? api.unique('subject') : given;
  const path = `${collectionOf(old)}/${name}`;
  api.cleanUp(path);
  const { body } = await api.setUp('POST', collectionOf(old), { body: withName(old, name) });
  const object = withName(changed(base, row), name);
  if (versioned.has(textAt(base, 'kind'))) {
    const { resourceVersion } = (body as JsonObject)['metadata'] as JsonObject;
    (object['metadata'] as JsonObject)['resourceVersion'] ??= resourceVersion ?? '';
  }
  await api.ask('PUT', `${path}?${strictDryRun}`, { body: object, keep: withoutManagedFields });
}

/** The same for kinds that controllers work on: in the case's own namespace, and what is replaced is what the server made of the base. */
async function updateWorked(api: Probe, base: JsonObject, row: Row): Promise<void> {
  const collection = collectionOf(base).replace('/namespaces/default/', `/namespaces/${api.namespace}/`);
  const { body } = await api.setUp('POST', collection, { body: expand(structuredClone(base)) });
  const name = textAt((body as JsonObject)['metadata'] as JsonObject, 'name');
  const path = `${collection}/${name}?${strictDryRun}`;
  if (versioned.has(textAt(base, 'kind'))) {
    // A replacement would have to name a version that the controllers do not leave alone.
    const operations = changesOf(row).map(([at, value]) => ({ op: 'add', path: `/${at}`, value: expand(value) }));
    const contentType = 'application/json-patch+json';
    await api.ask('PATCH', path, { body: operations, contentType, keep: specOnly });
    return;
  }
  const object = changed(body as JsonObject, row);
  delete (object['metadata'] as JsonObject)['resourceVersion'];
  await api.ask('PUT', path, { body: object, keep: specOnly });
}

function withName(object: JsonObject, name: string): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), name } };
}

/** One case for every row of `manifests/<file>`: the server's answer to the manifest. Names of rows are unique in a file. */
export function manifestArea(title: string, file: string): Area {
  const text = readFileSync(new URL(`./manifests/${file}`, import.meta.url), 'utf8');
  const groups = parseYaml(file, text) as unknown as readonly Group[];
  return area(title, (it) => {
    for (const group of groups) {
      for (const row of group.create ?? []) {
        it(titleOf(group, row), differenceOf(row), async (api) => await create(api, changed(group.base, row)));
      }
      for (const row of group.update ?? []) {
        const run = worked.has(textAt(group.base, 'kind')) ? updateWorked : update;
        it(titleOf(group, row), differenceOf(row), async (api) => await run(api, group.base, row));
      }
    }
  });
}
