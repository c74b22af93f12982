import type { JsonObject } from '../../src/base/index.ts';
import { objectOf, objectsOf } from '../core/index.ts';
import { addLists, addTo, type ResourceList, raiseTo, resourceList } from '../schema/index.ts';

/** The amounts with the names that another list has. */
function namedIn(other: ResourceList, list: ResourceList): ResourceList {
  const names = Object.keys(other).filter((name) => Object.hasOwn(list, name));
  return Object.fromEntries(names.map((name) => [name, list[name] ?? '0']));
}

/** What all containers of a pod ask for together, as the scheduler counts: init containers run one by one before the others, those that are
 *  restarted beside them. Each container costs what it names: there may be very many, with a name of its own each. */
export function podTotals(spec: JsonObject, part: 'requests' | 'limits'): ResourceList {
  const of = (container: JsonObject): ResourceList => resourceList(objectOf(container['resources'])[part]);
  const total: Record<string, string> = {};
  const beside: Record<string, string> = {};
  // Never less than what runs beside.
  const before: Record<string, string> = {};
  for (const container of objectsOf(spec['containers'])) addTo(total, of(container));
  for (const container of objectsOf(spec['initContainers'])) {
    const own = of(container);
    if (container['restartPolicy'] === 'Always') {
      addTo(total, own);
      addTo(beside, own);
      raiseTo(before, namedIn(own, beside));
    } else {
      raiseTo(before, addLists(own, namedIn(own, beside)));
    }
  }
  raiseTo(total, before);
  return total;
}
