import type { JsonObject } from '../../src/base/index.ts';
import { objectOf, objectsOf } from '../core/index.ts';
import { addLists, maxLists, type ResourceList, resourceList } from '../schema/index.ts';

/** What all containers of a pod ask for together, as the scheduler counts: init containers run one by one before the others, those that are
 *  restarted beside them. */
export function podTotals(spec: JsonObject, part: 'requests' | 'limits'): ResourceList {
  const of = (container: JsonObject): ResourceList => resourceList(objectOf(container['resources'])[part]);
  let total = objectsOf(spec['containers']).map(of).reduce(addLists, {});
  let beside: ResourceList = {};
  let before: ResourceList = {};
  for (const container of objectsOf(spec['initContainers'])) {
    const own = of(container);
    if (container['restartPolicy'] === 'Always') {
      total = addLists(total, own);
      beside = addLists(beside, own);
      before = maxLists(before, beside);
    } else {
      before = maxLists(before, addLists(own, beside));
    }
  }
  return maxLists(total, before);
}
