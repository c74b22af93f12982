import { olmAnnotations, olmFieldManager } from '../../api/index.ts';
import { requeueAfter, type Step } from '../../controller/index.ts';
import { preconditionOf, refOf } from '../../kube/index.ts';
import { versionLifetimeMs } from './cluster-version.ts';
import { type FilledTemplate, fillTemplate } from './image-template.ts';
import type { SourceRun } from './run.ts';

const types = ['TemplatesHaveResolved', 'ResolvedImage'] as const;

function setConditions(run: SourceRun, { image, isResolved, message }: FilledTemplate): void {
  const status = isResolved ? 'True' : 'False';
  const reason = isResolved ? 'AllTemplatesResolved' : 'UnableToResolve';
  run.status.set(run, [
    { type: types[0], status, reason, message },
    { type: types[1], status, reason, message: image },
  ]);
}

async function writeImage(run: SourceRun, image: string, signal: AbortSignal): Promise<void> {
  const { context, object } = run;
  const { spec } = object as { spec?: { image?: unknown } };
  if (spec?.image === image) return;
  const patch = { metadata: preconditionOf(object), spec: { image } };
  const written = await context.kube.patch(refOf(object), patch, { fieldManager: olmFieldManager, signal });
  context.sources.wrote(written);
  run.status.rebase(run, written);
}

/** Fills the annotation `olm.catalogImageTemplate` in and writes the image to the spec.
 *  @see docs/spec/olm-v0.md#catalogsource-reconcile */
export const fillImageTemplate: Step<SourceRun> = async (run, { signal }) => {
  const { context, object } = run;
  if (!context.isLeading()) return undefined;
  const template = object.metadata.annotations?.[olmAnnotations.catalogImageTemplate] ?? '';
  if (template === '') {
    for (const type of types) run.status.remove(run, type);
    return undefined;
  }
  const filled = fillTemplate(template, await context.version.read(signal));
  setConditions(run, filled);
  requeueAfter(run, versionLifetimeMs);
  if (filled.isResolved) await writeImage(run, filled.image, signal);
  return undefined;
};
