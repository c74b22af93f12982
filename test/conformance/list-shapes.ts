import type { JsonValue } from '../../src/base/index.ts';
import type { Probe } from './probe.ts';

/** The collection that cases about lists and watches use: Secrets, because no controller puts any into a new namespace. */
export const secrets = (namespace: string): string => `/api/v1/namespaces/${namespace}/secrets`;

/** A Secret to create. */
export function secret(
  name: string,
  labels: Readonly<Record<string, string>> = {},
): { readonly [key: string]: unknown } {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, data: { name: btoa(name) } };
}

/** Creates Secrets, unrecorded; answers the path of their collection. */
export async function makeSecrets(api: Probe, ...names: readonly string[]): Promise<string> {
  const path = secrets(api.namespace);
  for (const name of names) await api.setUp('POST', path, { body: secret(name) });
  return path;
}

/** What cases look at in a list. */
export interface ListBody {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly { readonly metadata: { readonly name: string; readonly resourceVersion: string } }[];
}

/** A body as a list. */
export const listOf = (body: unknown): ListBody => body as ListBody;

/** The names of a list's items; of anything else everything. For lists whose version other writers move on. */
export const names = (body: JsonValue): unknown => {
  const { items } = body as unknown as Partial<ListBody>;
  return items === undefined ? body : items.map(({ metadata }) => metadata.name);
};

/** Names, whether the list goes on, and how many are left. */
export const outline = (body: JsonValue): unknown => {
  const list = listOf(body);
  if (list.items === undefined) return body;
  const { continue: token, remainingItemCount } = list.metadata;
  return { names: names(body), hasToken: token !== undefined, remainingItemCount };
};

/** The continue token of a list, for a query. */
export const tokenOf = (body: unknown): string => encodeURIComponent(listOf(body).metadata.continue ?? '');

/** A Status without the version that the server is at. */
export const withoutCurrent = (body: JsonValue): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll(/current: \d+/g, 'current: N'));

/** The version of a list of `path`. */
export async function versionOf(api: Probe, path: string): Promise<string> {
  const { body } = await api.setUp('GET', path);
  return listOf(body).metadata.resourceVersion;
}
