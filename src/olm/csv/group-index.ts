import { type OperatorGroup, parseOperatorGroup } from '../../api/index.ts';
import { indexCache, type KindCache, type KubeObject } from '../../kube/index.ts';
import { type ApiSet, formatApi, surfaceOf } from '../../operators/index.ts';
import { readable } from './readable.ts';

/** The typed view; undefined where it cannot be read. */
const readGroup: (object: KubeObject) => OperatorGroup | undefined = readable(parseOperatorGroup);

/** OperatorGroups by what others may have in common with them. */
export interface GroupIndex {
  /** Of a namespace. */
  in(namespace: string): readonly OperatorGroup[];
  /** All that share a target with `group`, and perhaps others; of those that share one with every group only those that provide one of the APIs. */
  near(group: OperatorGroup, provided: ApiSet): readonly OperatorGroup[];
}

const everywhere = 'all namespaces';
const target = (namespace: string): string => `target ${namespace}`;
const providing = (api: string): string => `provides ${api}`;

/** APIs of the annotation of a group. */
export function apisOfGroup(object: KubeObject): string[] {
  const group = readGroup(object);
  return group === undefined ? [] : surfaceOf(group).apis.values().map(formatApi);
}

function targetKeys(group: OperatorGroup): string[] {
  const { targets } = surfaceOf(group);
  return targets[0] === '' ? [everywhere] : targets.map(target);
}

function keysOf(object: KubeObject): string[] {
  const group = readGroup(object);
  const place = `in ${object.metadata.namespace}`;
  return group === undefined ? [place] : [place, ...targetKeys(group), ...apisOfGroup(object).map(providing)];
}

/** Indexes groups, so that one with few targets is compared with few others. */
export function indexGroups(groups: KindCache): GroupIndex {
  const index = indexCache(groups, keysOf);
  const all = (keys: readonly string[]): readonly OperatorGroup[] =>
    [...new Set(keys.flatMap((key) => index.get(key)))].flatMap((object) => readGroup(object) ?? []);
  return {
    in: (namespace) => all([`in ${namespace}`]),
    near: (group, provided) => {
      const keys = targetKeys(group);
      const isEverywhere = keys[0] === everywhere;
      return all(isEverywhere ? provided.values().map((api) => providing(formatApi(api))) : [everywhere, ...keys]);
    },
  };
}
