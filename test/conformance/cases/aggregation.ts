import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import type { Override } from '../../support/extension-server.ts';
import {
  apiServices,
  availabilityOf,
  extend,
  extendAndWait,
  register,
  untilForwarded,
  untilReason,
} from '../extensions.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** Headers of the connection, or of the client's library: they do not depend on the user. */
const ownHeaders = [
  'host',
  'user-agent',
  'accept-encoding',
  'content-length',
  'connection',
  'audit-id',
  'transfer-encoding',
];

function identityIn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const entries = Object.entries(headers).filter(
    ([name]) =>
      !ownHeaders.includes(name) &&
      !name.startsWith('x-forwarded-') &&
      name !== 'x-remote-extra-authentication.kubernetes.io%2fcredential-id',
  );
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const echoed = (body: JsonValue): unknown => {
  const { headers, ...rest } = body as unknown as { headers?: IncomingHttpHeaders };
  return headers === undefined ? rest : { ...rest, headers: identityIn(headers) };
};

/** Groups of a case, in the order of the list. */
function groupsOf(group: string): (body: JsonValue) => unknown {
  return (body) => {
    const { groups, items } = body as unknown as {
      groups?: { name: string }[];
      items?: { metadata: { name?: string } }[];
    };
    return (
      groups?.filter(({ name }) => name.endsWith(group)) ??
      items?.filter(({ metadata }) => metadata.name?.endsWith(group))
    );
  };
}

/** An answer that is text; anything else is none. */
function plain(body: JsonValue): string {
  return typeof body === 'string' ? body : '';
}

/** Paths of a group in OpenAPI 2, with the definition of their kind. How often a name is taken depends on the groups of other cases. */
function widgetsIn(group: string): (body: JsonValue) => unknown {
  return (body) => {
    const { paths, definitions } = body as unknown as {
      paths: Record<string, unknown>;
      definitions: Record<string, unknown>;
    };
    const own = Object.fromEntries(Object.entries(paths).filter(([path]) => path.includes(group)));
    const [, name = ''] = /#\/definitions\/(com\.example\.Widget\w*)/.exec(JSON.stringify(own)) ?? [];
    const text = JSON.stringify({ own, definition: definitions[name] ?? null });
    return JSON.parse(text.replaceAll(/(Widget|ObjectMeta)_v\d+/g, '$1')) as unknown;
  };
}

async function untilDiscovered(api: Probe, group: string): Promise<void> {
  await api.eventually('/apis', (body) => JSON.stringify(groupsOf(group)(body)).includes('"resource":"widgets"'), {
    accept: aggregated,
  });
}

interface Answer {
  readonly headers?: Record<string, string>;
  readonly text?: string;
}

/** Answers requests on paths that hold `part`. */
function answers(part: string, code: number, { headers = {}, text = 'out of order\n' }: Answer = {}): Override {
  return ({ url = '' }: IncomingMessage, response: ServerResponse): boolean => {
    if (!url.includes(part)) return false;
    response.writeHead(code, headers).end(text);
    return true;
  };
}

function service(name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

async function registerService(api: Probe, spec: JsonObject, port = 443): Promise<string> {
  const name = api.unique('backend');
  const { namespace, group } = api;
  await api.setUp('POST', `/api/v1/namespaces/${namespace}/services`, { body: service(name, spec) });
  return await register(api, { group, version: 'v1', insecureSkipTLSVerify: true, service: { namespace, name, port } });
}

/** Groups that other API servers serve. */
export const cases: Area = area('Aggregated API servers', (it) => {
  it('lists the group of an extension server that is available', async (api) => {
    const { name, group, root } = await extendAndWait(api);
    await untilDiscovered(api, group);
    await api.ask('GET', `${apiServices}/${name}`, { keep: (body) => (body as { status: unknown }).status });
    await api.ask('GET', '/apis', { keep: groupsOf(group) });
    await api.ask('GET', '/apis', { accept: aggregated, keep: groupsOf(group) });
    await api.ask('GET', `/apis/${group}`);
    await api.ask('GET', `/apis/${group}/`);
    await api.ask('GET', root, { recordHeaders: ['content-type'] });
    await api.ask('GET', `${root}/`);
    await api.ask('GET', `/apis/${group}/v2`);
    await api.ask('GET', `/apis/${group}/v2/widgets`);
  });

  it('converts the discovery of an extension server that has no aggregated form', async (api) => {
    const { group } = await extendAndWait(api, { server: { isCurrent: false } });
    await untilDiscovered(api, group);
    await api.ask('GET', '/apis', { accept: aggregated, keep: groupsOf(group) });
  });

  it('forwards the user, and neither credentials nor forged headers', async (api) => {
    const { root, server } = await extendAndWait(api);
    const path = `${root}/namespaces/${api.namespace}/widgets/a/echo`;
    const forged = {
      'x-remote-user': 'eve',
      'X-Remote-Group': 'system:masters',
      'x-remote-extra-scopes': 'all',
      'x-remote-uid': '1',
    };
    const impersonated = {
      ...forged,
      'impersonate-user': 'jane',
      'impersonate-group': 'readers',
      'impersonate-uid': '7',
      'impersonate-extra-example.com%2Fscopes': 'some',
      'impersonate-extra-reason': 'a test',
    };
    const role = api.unique('readers');
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    api.cleanUp(`${rbac}/clusterroles/${role}`);
    api.cleanUp(`${rbac}/clusterrolebindings/${role}`);
    const metadata = { name: role };
    const rules = [{ apiGroups: [api.group], resources: ['*'], verbs: ['*'] }];
    await api.setUp('POST', `${rbac}/clusterroles`, { body: { metadata, rules } });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }];
    await api.setUp('POST', `${rbac}/clusterrolebindings`, { body: { metadata, roleRef, subjects } });
    await api.eventually(path, (body) => (body as { code?: number }).code !== 403, { as: { user: 'jane' } });
    await api.ask('GET', `${path}?a=1&a=2&b=%2F`, { headers: impersonated, keep: echoed });
    await api.ask('POST', path, { headers: { ...impersonated, 'x-test': 'kept' }, body: { size: 1 }, keep: echoed });
    await api.ask('PATCH', path, { headers: impersonated, rawBody: 'text', contentType: 'text/plain', keep: echoed });
    api.record('client certificate', server.last(path)?.client);
  });

  it('decides on permissions before it forwards', async (api) => {
    const { root, server } = await extendAndWait(api);
    const path = `${root}/namespaces/${api.namespace}/widgets`;
    await api.ask('GET', path, { as: { user: 'other' } });
    await api.ask('POST', path, { as: 'anonymous', body: {} });
    await api.ask('GET', path, { as: { token: 'wrong' } });
    await api.ask('GET', root, { as: { user: 'other' } });
    api.record('forwarded', server.requests.filter(({ url }) => url === path).length);
  });

  it('gives answers of the extension server as they are', async (api) => {
    const { root, server } = await extendAndWait(api);
    const path = `${root}/namespaces/${api.namespace}/widgets`;
    await api.ask('POST', path, { body: { metadata: { name: 'a' } } });
    await api.ask('GET', `${path}/a`);
    await api.ask('GET', `${path}/b`);
    await api.ask('GET', `${root}/widgets`);
    await api.ask('GET', `${root}/nothing`);
    const recordHeaders = ['content-type', 'x-own', 'warning'];
    server.override = answers('/widgets/', 418, { headers: { 'content-type': 'text/plain', 'x-own': 'yes' } });
    await api.ask('DELETE', `${path}/a`, { recordHeaders });
    server.override = answers('/widgets/', 503, { headers: { 'content-type': 'text/plain' } });
    await api.ask('GET', `${path}/a`, { recordHeaders });
  });

  it('does not follow redirects of an extension server', async (api) => {
    const { root, server } = await extendAndWait(api);
    const path = `${root}/namespaces/${api.namespace}/widgets/a`;
    server.override = answers('/widgets/', 302, { headers: { location: 'https://127.0.0.1:1/' }, text: '' });
    await api.ask('GET', path);
    server.override = answers('/widgets/', 307, { headers: { location: '/version' }, text: '' });
    await api.ask('POST', path, { body: {} });
    server.override = answers('/widgets/', 304, { text: '' });
    await api.ask('GET', path);
  });

  it('forwards watches', async (api) => {
    const { root } = await extendAndWait(api);
    const path = `${root}/namespaces/${api.namespace}/widgets`;
    await api.setUp('POST', path, { body: { metadata: { name: 'first' } } });
    const watch = await api.watch(`${path}?watch=true`);
    await watch.until((events) => events.length === 1);
    await api.setUp('POST', path, { body: { metadata: { name: 'second' } } });
    await watch.until((events) => events.length === 2);
  });

  it('reports an extension server whose discovery fails', async (api) => {
    const extension = await extendAndWait(api);
    const { root, name, server, group } = extension;
    await untilDiscovered(api, group);
    server.override = answers('/apis', 500);
    // An event of the APIService has it checked now.
    const change = { metadata: { annotations: { checked: 'again' } } };
    const contentType = 'application/merge-patch+json';
    await api.setUp('PATCH', `${apiServices}/${name}`, { body: change, contentType });
    await untilReason(api, name, 'FailedDiscoveryCheck');
    await api.eventually(root, (body) => body === 'service unavailable\n');
    await api.ask('GET', `${apiServices}/${name}`, { keep: availabilityOf });
    await api.ask('GET', `${root}/widgets`);
    await api.ask('GET', root);
    await api.ask('GET', '/apis', { keep: groupsOf(group) });
    await api.ask('GET', `/apis/${group}`);
    server.override = () => false;
    await untilForwarded(api, extension);
    await api.ask('GET', `${root}/widgets`);
  });

  for (const [title, answer] of [
    ['redirects', answers('/apis', 302, { headers: { location: '/apis' }, text: '' })],
    ['is forbidden', answers('/apis', 403)],
  ] as const) {
    it(`reports an extension server whose discovery ${title}`, async (api) => {
      const { name, server } = await extend(api);
      server.override = answer;
      const change = { metadata: { annotations: { checked: 'again' } } };
      await api.setUp('PATCH', `${apiServices}/${name}`, { body: change, contentType: 'application/merge-patch+json' });
      await untilReason(api, name, 'FailedDiscoveryCheck');
      await api.ask('GET', `${apiServices}/${name}`, { keep: availabilityOf });
    });
  }

  it('forwards nothing to an extension server whose certificate is of another authority', async (api) => {
    const other = await extend(api, { group: `other.${api.group}`, service: 'other' });
    const { name, root, server } = await extend(api, { spec: { caBundle: other.server.caBundle } });
    await untilReason(api, name, 'Passed');
    await api.eventually(`${root}/widgets`, (body) => plain(body).startsWith('error'));
    await api.ask('GET', `${root}/widgets`, { keep: (body) => plain(body).split(/ \(|\n/)[0] });
    api.record('forwarded', server.last(`${root}/widgets`) === undefined ? 0 : 1);
  });

  it('accepts any certificate with insecureSkipTLSVerify', async (api) => {
    const { root } = await extendAndWait(api, {
      server: { dnsNames: ['another'] },
      spec: { caBundle: null, insecureSkipTLSVerify: true },
    });
    await api.ask('GET', `${root}/widgets`);
  });

  it('forwards nothing to an extension server whose certificate has another name', async (api) => {
    const { name, root, server } = await extend(api, { server: { dnsNames: ['another'] } });
    await untilReason(api, name, 'Passed');
    await api.eventually(`${root}/widgets`, (body) => plain(body).startsWith('error'));
    await api.ask('GET', `${root}/widgets`, { keep: (body) => plain(body).split(/(?<=x509:)/)[0] });
    api.record('forwarded', server.last(`${root}/widgets`) === undefined ? 0 : 1);
  });

  it('reports an extension server that does not listen', async (api) => {
    const name = await registerService(api, { type: 'ExternalName', externalName: '127.0.0.1' }, 1);
    await untilReason(api, name, 'FailedDiscoveryCheck');
    await api.ask('GET', `${apiServices}/${name}`, { keep: availabilityOf });
  });

  it('reports a Service without endpoints', async (api) => {
    const name = await registerService(api, { ports: [{ port: 443 }] });
    await untilReason(api, name, 'EndpointsNotFound', 'MissingEndpoints');
    await api.ask('GET', `${apiServices}/${name}`, { keep: availabilityOf });
  });

  it('reports a Service whose endpoints are not ready', async (api) => {
    const name = await registerService(api, { selector: { app: 'none' }, ports: [{ port: 443, name: 'https' }] });
    await untilReason(api, name, 'MissingEndpoints');
    await api.ask('GET', `${apiServices}/${name}`, { keep: availabilityOf });
  });

  it('reports a Service that has no such port', async (api) => {
    const name = await registerService(api, { ports: [{ port: 8443 }] });
    await untilReason(api, name, 'ServicePortError');
    await api.ask('GET', `${apiServices}/${name}`, { keep: availabilityOf });
  });

  it('lists a group whose extension server was never available', async (api) => {
    const { group } = api;
    const backend = { namespace: api.namespace, name: 'none', port: 443 };
    const name = await register(api, { group, version: 'v1', service: backend });
    await untilReason(api, name, 'ServiceNotFound');
    await api.ask('GET', '/apis', { keep: groupsOf(group) });
    await api.eventually('/apis', (body) => JSON.stringify(groupsOf(group)(body)).includes('Stale'), {
      accept: aggregated,
    });
    await api.ask('GET', '/apis', { accept: aggregated, keep: groupsOf(group) });
    await api.ask('GET', `/apis/${group}`);
    await api.ask('GET', `/apis/${group}/v1`);
    await api.ask('POST', `/apis/${group}/v1/widgets`, { body: {} });
    await api.ask('GET', `/openapi/v3/apis/${group}/v1`);
  });

  it('orders groups and versions by their priorities', async (api) => {
    const { group, namespace } = api;
    const backend = { namespace, name: 'none', port: 443 };
    const rows: readonly (readonly [string, string, number, number])[] = [
      [`c.${group}`, 'v1', 500, 10],
      [`b.${group}`, 'v1', 1500, 10],
      [`b.${group}`, 'v2alpha1', 100, 20],
      [`b.${group}`, 'v2', 100, 10],
      [`a.${group}`, 'v1', 500, 10],
      [`d.${group}`, 'v1', 17_850, 10],
    ];
    for (const [name, version, groupPriorityMinimum, versionPriority] of rows) {
      await register(api, { group: name, version, groupPriorityMinimum, versionPriority, service: backend });
    }
    const isComplete = (body: JsonValue): boolean => {
      const found = groupsOf(group)(body) as { versions: unknown[] }[] | undefined;
      return found?.flatMap(({ versions }) => versions).length === rows.length;
    };
    await api.eventually('/apis', isComplete);
    await api.eventually('/apis', isComplete, { accept: aggregated });
    const names = (body: JsonValue): unknown => {
      const { groups, items } = body as unknown as {
        groups?: { name: string; versions: { version: string }[] }[];
        items?: { metadata: { name: string }; versions: { version: string }[] }[];
      };
      const all = groups ?? items?.map(({ metadata, versions }) => ({ name: metadata.name, versions })) ?? [];
      const kept = all.filter(({ name }) => name.endsWith(group) || !name.endsWith('.example.com'));
      return kept.map(({ name, versions }) => `${name}: ${versions.map(({ version }) => version).join(' ')}`);
    };
    await api.ask('GET', '/apis', { keep: names });
    await api.ask('GET', '/apis', { accept: aggregated, keep: names });
    await api.ask('GET', `/apis/b.${group}`);
  });

  it('serves a group from its definition again when the APIService is deleted', async (api) => {
    const { group, server, name, root } = await extendAndWait(api);
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' };
    const body = { metadata: { name: `gadgets.${group}` }, spec: { group, scope: 'Namespaced', names, versions } };
    api.cleanUp(`${crds}/gadgets.${group}`);
    await api.setUp('POST', crds, { body });
    await api.eventually(
      `${crds}/gadgets.${group}`,
      (found) =>
        JSON.stringify(found).includes('"Established","status":"True"') ||
        JSON.stringify(found).includes('InitialNamesAccepted'),
    );
    await api.ask('GET', `${root}/gadgets`, { keep: (found) => (found as { message?: string }).message ?? found });
    await api.ask('GET', `${root}/widgets`, { keep: (found) => (found as { kind: string }).kind });
    await api.setUp('DELETE', `${apiServices}/${name}`);
    await api.eventually(`${apiServices}/${name}`, (found) => availabilityOf(found)?.['reason'] === 'Local');
    await api.eventually(`${root}/gadgets`, (found) => (found as { kind?: string } | null)?.kind === 'GadgetList');
    await api.ask('GET', `${root}/gadgets`, { keep: (found) => (found as { items: unknown }).items });
    const before = server.requests.length;
    await api.ask('GET', `${root}/widgets`);
    api.record('forwarded', server.requests.length - before);
  });

  it('does not know a group whose APIService was deleted', async (api) => {
    const { group, name, root } = await extendAndWait(api);
    await untilDiscovered(api, group);
    await api.setUp('DELETE', `${apiServices}/${name}`);
    await api.eventually(`/apis/${group}`, (body) => typeof body === 'string');
    await api.eventually('/apis', (body) => JSON.stringify(groupsOf(group)(body)) === '[]', { accept: aggregated });
    await api.ask('GET', `/apis/${group}`);
    await api.ask('GET', root);
    await api.ask('GET', `${root}/widgets`);
  });

  it('has a local APIService of a group that does not exist', async (api) => {
    const { group } = api;
    const name = await register(api, { group, version: 'v1' });
    await api.ask('GET', `${apiServices}/${name}`, { keep: availabilityOf });
    await api.ask('GET', '/apis', { keep: groupsOf(group) });
    await api.ask('GET', `/apis/${group}`);
    await api.ask('GET', `/apis/${group}/v1`);
  });

  it('changes availability with the spec', async (api) => {
    const { name, group } = await extendAndWait(api);
    const contentType = 'application/merge-patch+json';
    const other = { service: { namespace: api.namespace, name: 'none', port: 443 } };
    await api.setUp('PATCH', `${apiServices}/${name}`, { body: { spec: other }, contentType });
    await untilReason(api, name, 'ServiceNotFound');
    const local = { service: null, caBundle: null };
    await api.setUp('PATCH', `${apiServices}/${name}`, { body: { spec: local }, contentType });
    await untilReason(api, name, 'Local');
    await api.ask('GET', `${apiServices}/${name}`, { keep: (body) => (body as { status: unknown }).status });
    await api.eventually(`/apis/${group}/v1/widgets`, (body) => typeof body === 'string');
    await api.ask('GET', `/apis/${group}/v1/widgets`);
  });

  it('shows the OpenAPI documents of an extension server', async (api) => {
    const { group } = await extendAndWait(api);
    const key = `apis/${group}/v1`;
    await api.eventually('/openapi/v3', (body) => JSON.stringify(body).includes(key));
    await api.ask('GET', '/openapi/v3', {
      keep: (body) => Object.keys((body as { paths: object }).paths).filter((path) => path.includes(group)),
    });
    await api.ask('GET', `/openapi/${key.replace('apis', 'v3/apis')}`, {
      keep: (body) => {
        const { openapi, paths, components } = body as unknown as {
          openapi: string;
          paths: object;
          components: { schemas: object };
        };
        return { openapi, paths: Object.keys(paths), schemas: Object.keys(components.schemas).sort() };
      },
    });
    await api.eventually('/openapi/v2', (body) => JSON.stringify(body).includes(`/${key}/namespaces`));
    await api.ask('GET', '/openapi/v2', { keep: widgetsIn(group) });
  });

  it('publishes the authorities and headers that extension servers trust', async (api) => {
    await api.ask('GET', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication', {
      keep: (body) => {
        const { data } = body as unknown as { data: Record<string, string> };
        const entries = Object.entries(data).map(([key, value]) => [
          key,
          value.startsWith('-----BEGIN') ? 'PEM' : value,
        ]);
        return Object.fromEntries(entries) as unknown;
      },
    });
    await api.ask(
      'GET',
      '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles/extension-apiserver-authentication-reader',
      {
        keep: (body) => (body as { rules: unknown }).rules,
      },
    );
  });
});
