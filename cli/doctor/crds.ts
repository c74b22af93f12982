import { isJsonEqual, type JsonObject } from '../../src/base/index.ts';
import { isNotFound, type KubeObject } from '../../src/kube/index.ts';
import { readCrds } from '../client/index.ts';
import { isOurs } from '../install/index.ts';
import { objectsAt, textAt } from './fields.ts';
import { type Check, type Finding, fail, ok, type Patient, unchecked, warn } from './finding.ts';

const advice =
  'install those of this version: longshore install (or kubectl apply --server-side --force-conflicts -k crds)';
const otherAdvice = `if the cluster runs a newer version, use its program, else ${advice}`;

function isEstablished(crd: KubeObject): boolean {
  return objectsAt(crd, 'status', 'conditions').some(({ type, status }) => type === 'Established' && status === 'True');
}

/** What of `expected` is not there, or is another one. */
function differenceOf(expected: JsonObject, found: KubeObject): string | undefined {
  for (const version of objectsAt(expected, 'spec', 'versions')) {
    const name = textAt(version, 'name');
    const there = objectsAt(found, 'spec', 'versions').find((one) => one['name'] === version['name']);
    if (there === undefined || there['served'] !== true) return `version ${name} is not served`;
    if (!isJsonEqual(there['schema'] ?? null, version['schema'] ?? null))
      return `the schema of ${name} is not that of this version`;
  }
  return undefined;
}

/** Kinds of other groups may belong to another program, which defines their schema. */
function isOfOthers(crd: KubeObject): boolean {
  const isShared = crd.metadata.name?.endsWith('.core.rukpak.io') !== true;
  return isShared && !isOurs(crd);
}

async function examineOne(expected: JsonObject, { kube, signal }: Patient): Promise<Finding> {
  const { name } = expected['metadata'] as { name: string };
  const what = `CustomResourceDefinition ${name}`;
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
  try {
    const found = await kube.get(ref, { signal });
    if (!isEstablished(found)) return fail(`${what}: not established`, `see kubectl describe crd ${name}`);
    const difference = differenceOf(expected, found);
    if (difference === undefined) return ok(what);
    if (isOfOthers(found)) return ok(`${what}: not from Longshore's manifests, ignored`);
    return warn(`${what}: ${difference}`, otherAdvice);
  } catch (thrown) {
    if (isNotFound(thrown)) return fail(`${what}: not there`, advice);
    return unchecked(what, thrown);
  }
}

/** The kinds are there as this version has them. */
export const crdCheck: Check = {
  name: 'crds',
  examine: async (patient) => await Promise.all((await readCrds()).map((crd) => examineOne(crd, patient))),
};
