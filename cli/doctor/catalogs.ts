import { clusterCatalogResource } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { objectsAt, textAt } from './fields.ts';
import { type Check, type Finding, fail, type Patient, spokenAge, warn } from './finding.ts';
import { checkOfKind } from './kind-check.ts';

const logs = 'check that longshore controllers runs, and its logs';

const unsettled: ReadonlySet<string> = new Set(['Retrying', 'Blocked']);

function problemOf(catalog: KubeObject, { nowMs, stuckMs }: Patient): Finding | undefined {
  const { name = '', creationTimestamp } = catalog.metadata;
  const what = `ClusterCatalog ${name}`;
  const conditions = objectsAt(catalog, 'status', 'conditions');
  const textOf = (type: string, member: string): string =>
    textAt(conditions.find((one) => one['type'] === type) ?? {}, member);
  const agoMs = nowMs - Date.parse(String(creationTimestamp));
  if (textOf('Serving', 'status') === '') {
    return agoMs < stuckMs ? undefined : fail(`${what}: not served, ${spokenAge(agoMs)} after it was made`, logs);
  }
  const why = textOf('Progressing', 'message');
  if (textOf('Serving', 'reason') === 'Unavailable') {
    const advice = `correct its image; kubectl describe clustercatalog ${name} shows its Events`;
    return fail(`${what}: not served: ${why}`, advice);
  }
  if (unsettled.has(textOf('Progressing', 'reason'))) {
    return warn(
      `${what}: the previous content is still served: ${why}`,
      'correct its image, or return to the previous one',
    );
  }
  if (textOf('Valid', 'status') !== 'False') return undefined;
  return warn(
    `${what}: ${textOf('Valid', 'message')}`,
    'report it to the author of the catalog: longshore catalog validate shows the same problems',
  );
}

/** Every ClusterCatalog is served, and nothing is wrong with its image. */
export const catalogCheck: Check = checkOfKind({
  name: 'catalogs',
  resource: clusterCatalogResource,
  healthy: 'all available ones are served',
  problemOf,
});
