/** `npm run generate:bootstrap`: writes what a fresh cluster holds beside its namespaces, from a fresh real control plane:
 *  `apiserver/registry/generated/bootstrap-objects.json` (default roles and bindings, flow schemas and priority levels, APIServices). */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/base/index.ts';
import { Connection } from '../test/conformance/connection.ts';
import { findControlPlane, startControlPlane } from '../test/control-plane/index.ts';

const usage = `usage: npm run generate:bootstrap -- [--kubeconfig FILE]
  --kubeconfig FILE  a control plane that runs already, with nothing installed, instead of one of its own`;

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';
const collections = {
  roles: [`${rbac}/clusterroles`, `${rbac}/roles`],
  bindings: [`${rbac}/clusterrolebindings`, `${rbac}/rolebindings`],
  flows: [`${flow}/prioritylevelconfigurations`, `${flow}/flowschemas`],
  apiServices: ['/apis/apiregistration.k8s.io/v1/apiservices'],
};

function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  return isJsonObject(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Without what each server creates again. */
function plain(object: JsonObject): JsonObject {
  const { name, namespace, labels, annotations } = objectAt(object, 'metadata');
  const { conditions = [] } = objectAt(object, 'status');
  const kept = (Array.isArray(conditions) ? conditions : []).map((condition) => ({
    ...(isJsonObject(condition) ? condition : {}),
    lastTransitionTime: undefined,
  }));
  const { status: _status, ...rest } = object;
  return {
    ...rest,
    metadata: { name, namespace, labels, annotations } as JsonObject,
    ...(kept.length === 0 ? {} : { status: { conditions: kept } }),
  };
}

async function list(kube: Connection, path: string): Promise<JsonObject[]> {
  const { status, body } = await kube.ask({ method: 'GET', path, headers: {} });
  if (status !== 200 || !isJsonObject(body)) throw new Error(`GET ${path}: ${status}, expected a list`);
  const { apiVersion = '', kind } = body;
  const head = { apiVersion, kind: textOf(kind).replace(/List$/, '') };
  const items = Array.isArray(body['items']) ? body['items'] : [];
  return items.filter((item) => isJsonObject(item)).map((item) => ({ ...head, ...plain(item) }));
}

/** Whether the controller has aggregated the rules of roles. */
async function isAggregated(kube: Connection): Promise<boolean> {
  const roles = await list(kube, `${rbac}/clusterroles`);
  const admin = roles.find((role) => objectAt(role, 'metadata')['name'] === 'admin');
  return Array.isArray(admin?.['rules']) && admin['rules'].length > 20;
}

async function generate(kube: Connection): Promise<void> {
  while (!(await isAggregated(kube))) await new Promise((resolve) => setTimeout(resolve, 500));
  const { body } = await kube.ask({ method: 'GET', path: '/version', headers: {} });
  const version = isJsonObject(body) ? textOf(body['gitVersion']) : '';
  const content: JsonObject = { $generated: `by scripts/generate-bootstrap-objects.ts from a running ${version}` };
  for (const [name, paths] of Object.entries(collections)) {
    content[name] = (await Promise.all(paths.map((path) => list(kube, path)))).flat();
  }
  const target = new URL('../apiserver/registry/generated/bootstrap-objects.json', import.meta.url);
  await writeFile(target, `${JSON.stringify(content).replaceAll(/(\{"apiVersion")/g, '\n$1')}\n`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { kubeconfig: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help === true) return console.log(usage);
  if (values.kubeconfig !== undefined) {
    using kube = new Connection(await readFile(values.kubeconfig, 'utf8'));
    return await generate(kube);
  }
  const binaries = await findControlPlane({ mayBuild: true, report: console.log });
  if ('missing' in binaries) throw new Error(`there is no real control plane to ask: ${binaries.missing}`);
  await using plane = await startControlPlane(binaries);
  if (!plane.hasControllers) throw new Error('kube-controller-manager is needed, for the rules of aggregated roles');
  using kube = new Connection(plane.kubeconfig);
  await generate(kube);
}

await main();
