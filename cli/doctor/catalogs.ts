import { clusterCatalogResource } from '../../src/api/index.ts';
import { type KubeObject, NoKindMatch } from '../../src/kube/index.ts';
import { objectsAt, textAt } from './fields.ts';
import { type Check, type Finding, fail, ok, type Patient, shorten, spokenAge, unchecked, warn } from './finding.ts';

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

async function examine(patient: Patient): Promise<readonly Finding[]> {
  try {
    const { items } = await patient.kube.list(clusterCatalogResource, { signal: patient.signal });
    const problems = items.flatMap((catalog) => problemOf(catalog, patient) ?? []);
    return problems.length === 0
      ? [ok(`${items.length} ClusterCatalogs: all available ones are served`)]
      : shorten(problems, 'ClusterCatalogs');
  } catch (thrown) {
    // A missing kind is reported by the check of kinds.
    return thrown instanceof NoKindMatch ? [] : [unchecked('ClusterCatalogs', thrown)];
  }
}

/** Every ClusterCatalog is served, and nothing is wrong with its image. */
export const catalogCheck: Check = { name: 'catalogs', examine };
