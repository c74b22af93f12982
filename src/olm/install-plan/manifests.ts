import type { InstallPlan, InstallPlanStep } from '../../api/index.ts';
import { errorMessage, type JsonObject, objectAt, TerminalError, textAt } from '../../base/index.ts';
import {
  type BundleContents,
  planSteps,
  readStepManifest,
  type StepManifest,
  type StepReference,
} from '../../operators/index.ts';
import { invalidStep } from './step-run.ts';

/** The objects of steps, by step. */
export type ManifestReader = (step: InstallPlanStep) => Promise<JsonObject>;

interface Reading {
  readonly contents: BundleContents;
  readonly namespace: string;
  /** Of the plan. */
  readonly lookups: NonNullable<InstallPlan['status']>['bundleLookups'];
  readonly signal: AbortSignal;
}

function isSameResource(a: InstallPlanStep['resource'], b: InstallPlanStep['resource']): boolean {
  return a.kind === b.kind && a.name === b.name && a.group === b.group && a.version === b.version;
}

function referredSteps({
  contents,
  namespace,
  signal,
}: Reading): (reference: StepReference) => Promise<readonly InstallPlanStep[]> {
  const asked = new Map<string, Promise<readonly InstallPlanStep[]>>();
  const read = async ({
    name,
    digest,
    image,
    catalog,
    ...resolved
  }: StepReference): Promise<readonly InstallPlanStep[]> => {
    const place = image === undefined ? {} : { image };
    const known = digest === undefined ? {} : { digest };
    const content = await contents.read({ name, catalog, ...known, ...place }, signal);
    const { replaces, properties } = resolved;
    const chosen = {
      ...(replaces === undefined ? {} : { replaces }),
      ...(properties === undefined ? {} : { properties }),
    };
    return planSteps(content, { namespace, catalog, ...chosen, maxInlineBytes: Number.POSITIVE_INFINITY });
  };
  return (reference) => {
    const key = JSON.stringify(reference);
    const steps = asked.get(key) ?? read(reference);
    asked.set(key, steps);
    return steps;
  };
}

/** What the step names is what it applies: who reads a plan must be able to rely on it. The real OLM leaves the kind to the step. */
function checked(step: InstallPlanStep, given: JsonObject): JsonObject {
  const { group, version, name } = step.resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const kind = step.resource.kind === 'BundleSecret' ? 'Secret' : step.resource.kind;
  const object: JsonObject = { apiVersion, kind, ...given };
  const metadata = objectAt(object, 'metadata');
  const expected = [apiVersion, kind, name];
  const found = [textAt(object, 'apiVersion'), textAt(object, 'kind'), textAt(metadata, 'name')];
  if (expected.every((text, index) => text === found[index])) return object;
  throw invalidStep(step, `its manifest is of ${found.join(' ')}: expected ${expected.join(' ')}`);
}

/** Reads the objects of steps for one pass over a plan, and the content of a bundle once.
 *  The reader throws WaitingError while content is fetched · TerminalError for a step that has no usable object. */
export function createManifestReader(reading: Reading): ManifestReader {
  const referred = referredSteps(reading);
  const { lookups = [] } = reading;
  const objectOf = (step: InstallPlanStep, text: string): StepManifest | undefined => {
    const lookup = lookups.find(({ identifier }) => identifier === step.resolving);
    try {
      return readStepManifest(text, { name: step.resolving, image: lookup?.path });
    } catch (thrown) {
      if (thrown instanceof TerminalError) throw invalidStep(step, errorMessage(thrown));
      throw thrown;
    }
  };
  return async (step) => {
    const found = objectOf(step, step.resource.manifest ?? '');
    if (found === undefined) throw invalidStep(step, 'its manifest is no object');
    if ('object' in found) return checked(step, found.object);
    const steps = await referred(found.reference);
    const same = steps.find(({ resource }) => isSameResource(resource, step.resource));
    const inline = same === undefined ? undefined : objectOf(step, same.resource.manifest ?? '');
    if (inline !== undefined && 'object' in inline) return checked(step, inline.object);
    throw invalidStep(step, `bundle ${found.reference.name} has no such object`);
  };
}
