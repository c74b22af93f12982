import { bundleDeploymentResource, bundleResource } from '../../src/api/index.ts';
import { provisionerClasses } from '../../src/formats/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';
import { numberAt, textAt } from './fields.ts';
import { type Check, type Finding, ok, type Patient, shorten, spokenAge, unchecked, warn } from './finding.ts';
import { conditionsOf, heldFinding, nameOf, type Times, unreconciledFinding } from './stuck.ts';

/** It was not reconciled, or not since its last change. */
function unseenFinding(object: KubeObject, times: Times): Finding | undefined {
  return unreconciledFinding(object, numberAt(object, 'status', 'observedGeneration'), times);
}

function bundleFinding(bundle: KubeObject, { nowMs, stuckMs }: Times): Finding | undefined {
  const phase = textAt(bundle, 'status', 'phase');
  const unpacked = conditionsOf(bundle).find(({ type }) => type === 'Unpacked');
  if (unpacked === undefined || phase === 'Unpacked') return undefined;
  const forMs = nowMs - unpacked.sinceMs;
  const text = `${nameOf(bundle)}: ${phase} for ${spokenAge(forMs)}: ${unpacked.message || unpacked.reason}`;
  if (phase === 'Failing') return warn(text, 'correct its source; kubectl describe bundle shows its Events');
  return forMs < stuckMs
    ? undefined
    : warn(text, 'provide what it waits for; kubectl describe bundle shows its Events');
}

function deploymentFinding(deployment: KubeObject): Finding | undefined {
  const bad = conditionsOf(deployment).find(
    ({ type, status }) => ['HasValidBundle', 'Installed', 'Healthy'].includes(type) && status === 'False',
  );
  if (bad === undefined) return undefined;
  const { name = '' } = deployment.metadata;
  const text = `${nameOf(deployment)}: ${bad.type} is False (${bad.reason}): ${bad.message}`;
  return warn(text, `longshore tree bd/${name} and longshore diff bd/${name} show more`);
}

function isOurs(object: KubeObject): boolean {
  return provisionerClasses.includes(textAt(object, 'spec', 'provisionerClassName'));
}

/** Another provisioner may serve it, or none does, as with a misspelled class. */
function strangeFinding(object: KubeObject, times: Times): Finding | undefined {
  if (unseenFinding(object, times) === undefined) return undefined;
  const text = `${nameOf(object)}: no provisioner serves provisionerClassName "${textAt(object, 'spec', 'provisionerClassName')}"`;
  return warn(
    text,
    `correct it (Longshore serves ${provisionerClasses.join(', ')}), or check that its provisioner runs`,
  );
}

async function examine(patient: Patient): Promise<readonly Finding[]> {
  const { kube, signal } = patient;
  const kinds = [
    { target: bundleResource, evaluate: bundleFinding },
    { target: bundleDeploymentResource, evaluate: deploymentFinding },
  ];
  const found: Finding[] = [];
  for (const { target, evaluate } of kinds) {
    try {
      const { items } = await kube.list(target, { signal });
      const ours = items.filter(isOurs);
      const problems = items.flatMap((object) => {
        const held = heldFinding(object, patient);
        if (!isOurs(object)) return held ?? strangeFinding(object, patient) ?? [];
        return held ?? unseenFinding(object, patient) ?? evaluate(object, patient) ?? [];
      });
      found.push(...shorten(problems, `${target.kind}s`));
      if (problems.length === 0) found.push(ok(`${ours.length} ${target.kind}s: none is stuck`));
    } catch (thrown) {
      found.push(unchecked(`${target.kind}s`, thrown));
    }
  }
  return found;
}

/** No Bundle and no BundleDeployment is stuck. */
export const objectCheck: Check = { name: 'objects', examine };
