import { parseBundle, templateHashLabel } from '../../src/api/index.ts';
import { errorMessage } from '../../src/base/index.ts';
import type { Step } from '../../src/controller/index.ts';
import { isAlreadyExists, type KubeObject, refOf } from '../../src/kube/index.ts';
import { bundleOfTemplate, isBundleOf, obsoleteBundles } from '../bundle-template.ts';
import { fieldManager } from '../context.ts';
import { ownerOf } from '../installed-record.ts';
import { deleteBundle } from '../owned-bundles.ts';
import { bundleCondition } from './conditions.ts';
import { keepActive } from './install.ts';
import { activeOf, type DeploymentRun, deploymentOf, ownedBundles, report } from './run.ts';

async function createBundle(run: DeploymentRun, wanted: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const { kube, bundles } = run.context;
  const keep = { wanted: wanted.metadata.name ?? '', active: activeOf(run) };
  const obsolete = obsoleteBundles([...ownedBundles(run), wanted], keep);
  for (const bundle of obsolete) await deleteBundle(run.context, bundle, signal);
  let created: KubeObject;
  try {
    created = await kube.create(wanted, { fieldManager, signal });
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    created = await kube.get(refOf(wanted), { signal });
    if (!isBundleOf(created, ownerOf(run.object).name)) throw thrown;
  }
  bundles.wrote(created);
  return created;
}

/** Finds or makes the Bundle of the template. */
export const ensureBundle: Step<DeploymentRun> = async (run, { signal }) => {
  const wanted = bundleOfTemplate(deploymentOf(run));
  const hash = wanted.metadata.labels?.[templateHashLabel];
  const match = ownedBundles(run).find(({ metadata }) => metadata.labels?.[templateHashLabel] === hash);
  try {
    run.bundle = match ?? (await createBundle(run, wanted, signal));
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const message = errorMessage(thrown);
    const reason = 'ReconcileFailed';
    await report(run, [{ type: 'HasValidBundle', status: 'Unknown', reason, message }], { signal });
    throw thrown;
  }
  return undefined;
};

/** Without an unpacked Bundle there is nothing to do: a change of the Bundle starts the next reconcile. */
export const checkBundle: Step<DeploymentRun> = async (run, context) => {
  const { signal } = context;
  if (run.bundle === undefined) return 'stop';
  const isGoing = run.bundle.metadata.deletionTimestamp !== undefined;
  const { status, ...rest } = parseBundle(run.bundle);
  const condition = bundleCondition(isGoing || status === undefined ? rest : { ...rest, status });
  if (condition.reason === 'UnpackSuccessful') return undefined;
  await report(run, [condition], { signal });
  await keepActive(run, context);
  return 'stop';
};
