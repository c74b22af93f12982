import type { ApiParameter } from './parameters.ts';

export type ApiMethod = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One operation of a path, as both editions of OpenAPI show it. Schemas are named by their definition; `string` is plain text. */
export interface ApiOperation {
  readonly method: ApiMethod;
  readonly id: string;
  readonly action?: string;
  readonly kind?: KindName;
  readonly parameters: readonly ApiParameter[];
  readonly body?: { readonly schema: string; readonly isRequired: boolean; readonly media: readonly string[] };
  readonly answer: { readonly codes: readonly number[]; readonly schema: string; readonly media: readonly string[] };
}

/** One path and what can be asked of it. `tag` groups operations for those who generate clients. */
export interface ApiPath {
  readonly path: string;
  readonly tag: string;
  /** Of every operation. */
  readonly parameters: readonly ApiParameter[];
  readonly operations: readonly ApiOperation[];
}

const json = 'application/json';
const yaml = 'application/yaml';
const protobuf = 'application/vnd.kubernetes.protobuf';

/** Media types of answers; those of custom resources have no protobuf. */
export const plainMedia: readonly string[] = [json, yaml, protobuf];
export const streamMedia: readonly string[] = [...plainMedia, `${json};stream=watch`, `${protobuf};stream=watch`];
export const customMedia: readonly string[] = [json, yaml];
export const anyMedia: readonly string[] = ['*/*'];

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The definition of a kind of the API's own machinery. */
export function metaDefinition(kind: string): string {
  return `${meta}.${kind}`;
}

/** `rbac.authorization.k8s.io` → `rbacAuthorization`; the core group is `core`. */
export function groupTag(group: string): string {
  if (group === '') return 'core';
  const [first = '', ...rest] = group.replace(/\.k8s\.io$/, '').split(/[.-]/);
  return `${first}${rest.map(capitalise).join('')}`;
}

/** `v1` → `V1`, `core` → `Core` */
export function capitalise(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** A path that only reads a document of discovery. */
export function documentPath(
  path: string,
  about: { tag: string; id: string; schema: string; media?: string },
): ApiPath {
  const media = about.media === undefined ? plainMedia : [about.media];
  const answer = { codes: [200], schema: about.schema, media };
  return {
    path,
    tag: about.tag,
    parameters: [],
    operations: [{ method: 'get', id: about.id, parameters: [], answer }],
  };
}
