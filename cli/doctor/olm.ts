import { catalogSourceResource, parseCatalogSource } from '../../src/api/index.ts';
import { isNotFound, NoKindMatch } from '../../src/kube/index.ts';
import { findOtherOlm, hasOlm } from '../install/index.ts';
import { type Check, type Finding, fail, ok, type Patient, shorten, unchecked, warn } from './finding.ts';

/** Whether the controllers of the cluster run with `--olm`. */
async function isOurs({ kube, systemNamespace: namespace, signal }: Patient): Promise<boolean> {
  try {
    return hasOlm(await kube.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'core' }, { signal }));
  } catch (thrown) {
    if (isNotFound(thrown)) return false;
    throw thrown;
  }
}

async function sourceFindings({ kube, signal }: Patient): Promise<readonly Finding[]> {
  const { items } = await kube.list(catalogSourceResource, { signal });
  const problems = items
    .map((item) => parseCatalogSource(item))
    .flatMap(({ metadata, status }) => {
      const state = status?.connectionState?.lastObservedState;
      if (state === 'READY') return [];
      const what = `CatalogSource ${metadata.namespace}/${metadata.name}: ${status?.message ?? state ?? 'not reconciled'}`;
      return [warn(what, 'correct its image or address; Subscriptions that name it are not resolved meanwhile')];
    });
  if (problems.length > 0) return shorten(problems, 'CatalogSources');
  return [ok(`Operator Lifecycle Manager: ${items.length} CatalogSources, all ready`)];
}

async function examine(patient: Patient): Promise<readonly Finding[]> {
  try {
    const others = (await findOtherOlm(patient.kube, patient.signal)).join(', ');
    if (!(await isOurs(patient))) {
      return others === '' ? [] : [ok(`Operator Lifecycle Manager: run by Deployment ${others}, left to it`)];
    }
    if (others === '') return await sourceFindings(patient);
    const advice = 'scale these Deployments to 0, or install again with --no-olm';
    return [fail(`Operator Lifecycle Manager: runs twice: Deployment ${others}, and the controllers`, advice)];
  } catch (thrown) {
    // A missing kind is reported by the check of kinds.
    return thrown instanceof NoKindMatch ? [] : [unchecked('Operator Lifecycle Manager', thrown)];
  }
}

/** Operator Lifecycle Manager runs once, and its catalogs are ready. */
export const olmCheck: Check = { name: 'olm', examine };
