import type { InstallPlanStep } from '../../api/index.ts';
import { errorMessage, type JsonObject, objectAt, TerminalError, textAt } from '../../base/index.ts';
import { type BundleContents, planSteps, readStepManifest, type StepReference } from '../../operators/index.ts';
import { invalidStep } from './step-run.ts';

/** The objects of steps, by step. */
export type ManifestReader = (step: InstallPlanStep) => Promise<JsonObject>;

interface Reading {
  readonly contents: BundleContents;
  readonly namespace: string;
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
  const known = new Map<string, Promise<readonly InstallPlanStep[]>>();
  const read = async ({
    name,
    digest,
    image,
    catalog,
    ...resolved
  }: StepReference): Promise<readonly InstallPlanStep[]> => {
    const place = image === undefined ? {} : { image };
    const content = await contents.read({ name, digest, catalog, ...place }, signal);
    const { replaces, properties } = resolved;
    const chosen = {
      ...(replaces === undefined ? {} : { replaces }),
      ...(properties === undefined ? {} : { properties }),
    };
    return planSteps(content, { namespace, catalog, ...chosen, maxInlineBytes: Number.POSITIVE_INFINITY });
  };
  return (reference) => {
    const key = JSON.stringify(reference);
    const steps = known.get(key) ?? read(reference);
    known.set(key, steps);
    return steps;
  };
}

/** What the step names is what it applies: who reads a plan must be able to rely on it. */
function checked(step: InstallPlanStep, object: JsonObject): JsonObject {
  const { group, version, kind, name } = step.resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const metadata = objectAt(object, 'metadata');
  const expected = [apiVersion, kind === 'BundleSecret' ? 'Secret' : kind, name];
  const found = [textAt(object, 'apiVersion'), textAt(object, 'kind'), textAt(metadata, 'name')];
  if (expected.every((text, index) => text === found[index])) return object;
  throw invalidStep(step, `its manifest is of ${found.join(' ')}: expected ${expected.join(' ')}`);
}

/** Reads the objects of steps for one pass over a plan, and the content of a bundle once.
 *  The reader throws WaitingError while content is fetched · TerminalError for a step that has no usable object. */
export function createManifestReader(reading: Reading): ManifestReader {
  const referred = referredSteps(reading);
  const objectOf = (step: InstallPlanStep, text: string): ReturnType<typeof readStepManifest> => {
    try {
      return readStepManifest(text);
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
