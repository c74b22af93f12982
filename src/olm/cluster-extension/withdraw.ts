import { bundleResource, parseBundle, parseBundleDeployment } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';
import { isChosen, parseVersion, parseVersionChoice } from '../../constraints/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { choiceIn, deploymentNameOf } from './choice.ts';
import type { ExtensionContext } from './context.ts';
import { hasAccountOf } from './deployment-object.ts';
import { ensureDeployment } from './ensure.ts';
import { type ExtensionRun, extensionOf } from './run.ts';

/** Whether `spec.source.catalog.version` allows a version; without one, or where it cannot be read, nothing speaks against it. */
function isAllowed(requested: string, version: string): boolean {
  if (requested === '') return true;
  try {
    return isChosen(parseVersion(version), parseVersionChoice(requested));
  } catch (thrown) {
    if (thrown instanceof TerminalError) return true;
    throw thrown;
  }
}

/** Whether a BundleDeployment is to install a version that is not requested any more. */
function isWithdrawn(run: ExtensionRun, deployment: KubeObject): boolean {
  const chosen = choiceIn(deployment);
  const { version = '' } = extensionOf(run).spec?.source.catalog ?? {};
  if (chosen === undefined || isAllowed(version, chosen.version)) return false;
  return chosen.bundle !== run.installed?.bundle || chosen.image !== run.installed.image;
}

/** The image of the Bundle that is recorded as installed, by its spec, which is immutable. */
async function recordedImage(
  { kube, bundles }: ExtensionContext,
  deployment: KubeObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { activeBundle = '' } = parseBundleDeployment(deployment).status ?? {};
  const bundle = await kube.get({ ...bundleResource, name: activeBundle }, { signal });
  if (bundle.metadata.uid !== bundles.get(activeBundle)?.metadata.uid) return undefined;
  return parseBundle(bundle).spec.source.image?.ref;
}

/** Where nothing can be chosen, what is installed stays: a version that was requested before, and is not installed yet, is not installed later. What was
 *  installed with another account is not installed with that of the ClusterExtension. */
export async function withdraw(run: ExtensionRun, signal: AbortSignal): Promise<void> {
  const { context, deployment, installed } = run;
  if (deployment === undefined || installed === undefined || !isWithdrawn(run, deployment)) return;
  if (!hasAccountOf(extensionOf(run), deployment)) return;
  const image = await recordedImage(context, deployment, signal);
  if (image === undefined) return;
  const choice = { ...installed, image, catalog: { name: '-' }, reason: 'it is installed', chosenAt: '' };
  const name = deploymentNameOf(run.object.metadata.name ?? '');
  run.deployment = await ensureDeployment(run, { name, choice, isMain: true }, signal);
}
