import type { Resource } from '../../src/api/index.ts';
import { type KubeObject, NoKindMatch } from '../../src/kube/index.ts';
import { numberAt, objectsAt, textAt } from './fields.ts';
import { type Check, type Finding, ok, type Patient, shorten, unchecked, warn } from './finding.ts';
import { conditionsOf, nameOf } from './stuck.ts';

/** The objects of a kind, one after the other. */
export interface KindCheck {
  readonly name: string;
  readonly resource: Resource;
  /** The finding where no object has a problem, after their number and kind: `none is stuck`. */
  readonly healthy: string;
  readonly problemOf: (object: KubeObject, patient: Patient) => Finding | undefined;
}

/** A check of all objects of a kind. A missing kind is reported by the check of kinds. */
export function checkOfKind({ name, resource, healthy, problemOf }: KindCheck): Check {
  const kinds = `${resource.kind}s`;
  const examine = async (patient: Patient): Promise<readonly Finding[]> => {
    try {
      const { items } = await patient.kube.list(resource, { signal: patient.signal });
      const problems = items.flatMap((object) => problemOf(object, patient) ?? []);
      return problems.length === 0 ? [ok(`${items.length} ${kinds}: ${healthy}`)] : shorten(problems, kinds);
    } catch (thrown) {
      return thrown instanceof NoKindMatch ? [] : [unchecked(kinds, thrown)];
    }
  };
  return { name, examine };
}

/** The generation that a condition is about; undefined where there is none. */
export function observedGeneration(object: KubeObject, type: string): number | undefined {
  const found = objectsAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === type);
  return numberAt(found, 'observedGeneration');
}

/** What a catalog reports as deprecated. */
export function deprecationFinding(object: KubeObject, advice: string): Finding | undefined {
  const found = conditionsOf(object).find(({ type, status }) => type === 'Deprecated' && status === 'True');
  return found && warn(`${nameOf(object)}: deprecated: ${found.message}`, advice);
}
