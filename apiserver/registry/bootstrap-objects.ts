import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import type { KubeObject } from '../core/index.ts';
import source from './generated/bootstrap-objects.json' with { type: 'json' };

function objectsOf(value: unknown): readonly KubeObject[] {
  return value as readonly KubeObject[];
}

/** Default roles and the bindings of a fresh cluster, in the order they are made. `admin`, `edit` and `view` hold what aggregation gives them. */
export const defaultRbac: readonly KubeObject[] = [...objectsOf(source.roles), ...objectsOf(source.bindings)];

/** Priority levels and the flow schemas that refer to them. */
export const defaultFlows: readonly KubeObject[] = objectsOf(source.flows);

/** One APIService for each group-version that the server answers itself; a controller reports that they are available. */
export const localApiServices: readonly KubeObject[] = objectsOf(source.apiServices).map((object) => {
  const { status: _status, ...rest } = object;
  return rest as KubeObject;
});

/** The object with `now` in its conditions. */
export function withTimes(object: KubeObject, now: string): KubeObject {
  const { status } = object;
  if (status === undefined) return object;
  const { conditions = [] } = status as { conditions?: readonly JsonObject[] };
  return { ...object, status: { conditions: conditions.map((one) => ({ ...one, lastTransitionTime: now })) } };
}

/** Both lists as one; of equal members the first stands. */
function union(own: JsonValue | undefined, desired: JsonValue | undefined): JsonValue[] {
  const all = [own, desired].flatMap((list) => (Array.isArray(list) ? list : []));
  const texts = new Map<string, JsonValue>();
  for (const item of all) {
    const key = canonical(item);
    if (!texts.has(key)) texts.set(key, item);
  }
  return [...texts.values()];
}

function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, part: JsonValue) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A default role or binding that exists, with removed parts restored; undefined when nothing is missing, or its annotation
 *  turns updates off. */
export function reconciled(live: KubeObject, desired: KubeObject): KubeObject | undefined {
  if (live.metadata.annotations?.['rbac.authorization.kubernetes.io/autoupdate'] !== 'true') return undefined;
  const field = desired.kind.endsWith('Binding') ? 'subjects' : 'rules';
  const own = live[field] as JsonValue | undefined;
  const all = union(own, desired[field] as JsonValue | undefined);
  return Array.isArray(own) && all.length === own.length ? undefined : { ...live, [field]: all };
}
