import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import type { Answer } from './connection.ts';
import type { AskOptions, Probe } from './probe.ts';
import { applyPatch, mergePatch } from './sample-objects.ts';

/** Requests of several managers on one object. */
export interface Applying {
  /** Server-side apply; kind, version and name are filled in. */
  readonly apply: (manager: string, body: JsonObject, query?: string) => Promise<Answer>;
  /** Merge patch. */
  readonly patch: (manager: string, body: JsonObject, subresource?: string) => Promise<Answer>;
  /** PUT, of the whole object but for kind, version and name. */
  readonly put: (manager: string, body: JsonObject, subresource?: string) => Promise<Answer>;
  readonly path: string;
}

export interface AppliedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly cluster?: boolean;
}

/** Kinds that cases apply. */
export const kinds: Readonly<Record<'configMap' | 'service' | 'podTemplate' | 'deployment', AppliedKind>> = {
  configMap: { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
  service: { apiVersion: 'v1', kind: 'Service', plural: 'services' },
  podTemplate: { apiVersion: 'v1', kind: 'PodTemplate', plural: 'podtemplates' },
  deployment: { apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' },
};

function sortedTexts(items: readonly object[]): string[] {
  return items.map((item) => JSON.stringify(item)).sort();
}

/** Puts in order what comes in one by chance: causes of conflicts, and managed fields, which are sorted by the second. */
function inOrder(body: unknown): unknown {
  const { kind, details, metadata } = body as {
    kind?: string;
    details?: { causes?: object[] };
    metadata?: { managedFields?: object[] };
  };
  if (kind === 'Status') {
    if (details?.causes === undefined) return body;
    return { ...(body as object), details: { ...details, causes: sortedTexts(details.causes) } };
  }
  if (metadata?.managedFields === undefined) return body;
  const managedFields = metadata.managedFields
    .map((entry) => ({ entry, text: JSON.stringify({ ...entry, time: undefined }) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ entry }) => entry);
  return { ...(body as object), metadata: { ...metadata, managedFields } };
}

/** One object named `a` of the case's namespace, and who writes to it. */
export function applying(api: Probe, of: AppliedKind, keep?: (body: JsonValue) => unknown): Applying {
  const root = of.apiVersion.includes('/') ? `/apis/${of.apiVersion}` : `/api/${of.apiVersion}`;
  const name = of.cluster === true ? api.unique('a') : 'a';
  const scope = of.cluster === true ? '' : `/namespaces/${api.namespace}`;
  const path = `${root}${scope}/${of.plural}/${name}`;
  if (of.cluster === true) api.cleanUp(path);
  const complete = (body: JsonObject): JsonObject => {
    const { metadata, ...rest } = body;
    return { apiVersion: of.apiVersion, kind: of.kind, metadata: { name, ...(metadata as JsonObject) }, ...rest };
  };
  const send = (method: string, url: string, options: AskOptions): Promise<Answer> =>
    api.ask(method, url, { ...options, keep: (body) => inOrder(keep === undefined ? body : keep(body)) });
  return {
    path,
    apply: (manager, body, query = '') => {
      const [sub = '', rest = ''] = query.startsWith('/') ? query.split('?') : ['', query.replace('?', '')];
      const url = `${path}${sub}?fieldManager=${manager}${rest === '' ? '' : `&${rest}`}`;
      return send('PATCH', url, { body: complete(body), contentType: applyPatch });
    },
    patch: (manager, body, sub = '') =>
      send('PATCH', `${path}${sub}?fieldManager=${manager}`, { body, contentType: mergePatch }),
    put: (manager, body, sub = '') => send('PUT', `${path}${sub}?fieldManager=${manager}`, { body: complete(body) }),
  };
}
