import type { ResourceType } from '../../core/index.ts';
import { loadBuiltinSchemas } from '../../schema/index.ts';
import { capitalise, customMedia, groupTag, type KindName, plainMedia } from './operations.ts';
import { type ApiParameter, pathParameters } from './parameters.ts';

/** Definition name of a kind: its own for built-in kinds, reversed group for custom ones (`com.example.v1.Foo`). */
export function definitionName({ group, version, kind }: KindName): string {
  const own = loadBuiltinSchemas().kind(group, version, kind)?.definition;
  return own ?? `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

/** What all paths of one resource are made from. */
export interface Subject {
  readonly type: ResourceType;
  readonly kind: KindName;
  readonly definition: string;
  /** `AppsV1` */
  readonly prefix: string;
  /** `Namespaced` or nothing. */
  readonly scope: string;
  readonly tag: string;
  readonly media: readonly string[];
  readonly root: string;
  /** Path of the collection. */
  readonly collection: string;
  /** Parameters that stand in the path of the collection. */
  readonly place: readonly ApiParameter[];
}

/** What the paths of a resource have in common. */
export function subjectOf(type: ResourceType): Subject {
  const { group, version, kind, namespaced } = type;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return {
    type,
    kind: { group, version, kind },
    definition: definitionName(type),
    prefix: `${capitalise(groupTag(group))}${capitalise(version)}`,
    scope: namespaced ? 'Namespaced' : '',
    tag: `${groupTag(group)}_${version}`,
    media: type.isCustom ? customMedia : plainMedia,
    root,
    collection: `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${type.plural}`,
    place: namespaced ? pathParameters('namespace') : [],
  };
}
