import { sha256Digest, TransientError } from '../../base/index.ts';
import type { Step } from '../../controller/index.ts';
import type { ExtensionChoice } from '../../operators/index.ts';
import type { HeldCatalogs } from '../cluster-catalog/views.ts';
import type { Choice } from '../platform-operator/choice.ts';
import type { ExtensionAnswer, ExtensionQuestion } from './answer.ts';
import { choiceIn } from './choice.ts';
import { deprecationConditions, installedCondition, progressingCondition } from './conditions.ts';
import { hasAccountOf, imageOf } from './deployment-object.ts';
import { hasCatalogs, standingFor, unservedCatalogs } from './find.ts';
import { type ExtensionRun, extensionOf } from './run.ts';
import { withdraw } from './withdraw.ts';

/** What resolution starts from: what is installed; or what the status shows, where the BundleDeployment or its Bundle is lost. The status does not show
 *  every name; without a start, a version would be chosen that no update leads to. */
function startOf(run: ExtensionRun): ExtensionQuestion['installed'] {
  const { installed, deployment, isForgotten } = run;
  if (installed !== undefined) return installed;
  const extension = extensionOf(run);
  const { bundle } = extension.status?.install ?? {};
  if (bundle !== undefined) return { bundle: bundle.name, version: bundle.version };
  if (!isForgotten || deployment === undefined || !hasAccountOf(extension, deployment)) return undefined;
  return choiceIn(deployment);
}

function questionOf(run: ExtensionRun, held: HeldCatalogs): ExtensionQuestion {
  const { context, object } = run;
  const { packageName, version, channels, selector, upgradeConstraintPolicy } = catalogOf(run);
  return {
    name: object.metadata.name ?? '',
    request: {
      packageName,
      ...(version !== undefined && { version }),
      ...(channels !== undefined && { channels }),
      ...(selector !== undefined && { selector }),
      ...(upgradeConstraintPolicy !== undefined && { upgradeConstraintPolicy }),
    },
    installed: startOf(run),
    standing: standingFor(context, object),
    unserved: unservedCatalogs(context, held),
  };
}

async function ask(run: ExtensionRun, signal: AbortSignal): Promise<ExtensionAnswer> {
  const { context, object } = run;
  using held = context.views.hold();
  const question = questionOf(run, held);
  // The question may be long, with what users have noted on their bundles, and is kept for each extension.
  const key = sha256Digest(JSON.stringify([question, held.places, object.metadata.uid]));
  const last = context.answers.get(question.name);
  if (last?.key === key) return last.answer;
  try {
    const answer = await context.resolver.extension(question, { held, signal });
    context.answers.set(question.name, { key, answer });
    return answer;
  } catch (thrown) {
    if (!(thrown instanceof TransientError && thrown.reason === 'ResolutionCancelled')) throw thrown;
    return { outcome: 'none', text: `package ${question.request.packageName}: ${thrown.message}` };
  }
}

function catalogOf(run: ExtensionRun) {
  const { catalog } = extensionOf(run).spec?.source ?? {};
  return catalog ?? { packageName: '' };
}

/** The catalogs are gone: what is installed stays, and is still corrected. Annotations only describe it: what is not the image of the template, which needs
 *  the permission to use its service account, is not kept, nor is the image of a template with another account. */
function keptChoice(run: ExtensionRun): ExtensionChoice | undefined {
  const { deployment, installed } = run;
  if (deployment === undefined || installed === undefined || !mayKeep(run)) return undefined;
  if (!hasAccountOf(extensionOf(run), deployment)) return undefined;
  const { package: packageName, bundle, version, image } = installed;
  if (image !== imageOf(deployment)) return undefined;
  const before = choiceIn(deployment);
  if (before?.image === image && before.bundle === bundle) return before;
  const kept: Choice = {
    package: packageName,
    bundle,
    version,
    image,
    catalog: { name: '-' },
    reason: 'it is installed',
  };
  return { ...kept, chosenAt: '' };
}

function mayKeep(run: ExtensionRun): boolean {
  const { version = '', selector } = catalogOf(run);
  const isOther = version !== '' && version !== run.installed?.version;
  return run.installed !== undefined && !isOther && !hasCatalogs(run.context, selector);
}

/** Chooses the bundle. Where that fails nothing changes, unless no catalog exists any more. */
export const resolve: Step<ExtensionRun> = async (run, { signal }) => {
  const { context, installed } = run;
  const answer = await ask(run, signal);
  if (answer.outcome === 'chosen') {
    const { main, needed, deprecations } = answer;
    const chosenAt = new Date(context.clock.now()).toISOString();
    run.desired = { main: { ...main, chosenAt }, needed, deprecations };
    return undefined;
  }
  run.status.set(run, deprecationConditions(undefined, installed));
  const kept = keptChoice(run);
  if (kept !== undefined) {
    run.desired = { main: kept, needed: [], deprecations: undefined };
    return undefined;
  }
  await withdraw(run, signal);
  const progress = { reason: 'Retrying', message: answer.text } as const;
  run.status.set(run, [progressingCondition(progress)]);
  if (!run.isForgotten) run.status.set(run, [installedCondition(installed, false)]);
  return 'stop';
};
