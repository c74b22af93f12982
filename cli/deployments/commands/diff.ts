import { installOptionsOf, placeOf, withRecordedNamespace } from '../../../provisioners/index.ts';
import { apiVersion, readDeploymentConfig } from '../../../src/api/index.ts';
import { type Preview, previewInstall } from '../../../src/apply/index.ts';
import { isJsonObject, type JsonObject, objectAt, printableLine } from '../../../src/base/index.ts';
import type { KubeClient, KubeObject } from '../../../src/kube/index.ts';
import { openChartRenderer } from '../../bundle-files/index.ts';
import { createContentClient, parseTarget, resolveTarget } from '../../client/index.ts';
import type { clusterOptions, helmOption, OptionValues, outputOption, registryOptions } from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { colouredDiff, createProgress, type Progress } from '../../output/index.ts';
import { type Desired, findDesired } from '../diff/desired.ts';
import { type ShownChange, shownChange, titleOf } from '../diff/text.ts';
import type { diffOptions } from '../options.ts';

type Values = OptionValues<
  typeof clusterOptions & typeof diffOptions & typeof helmOption & typeof registryOptions & typeof outputOption
>;

const deadlineMs = 15 * 60_000;

function isInstalled({ status }: Readonly<Record<string, unknown>>): boolean {
  return isJsonObject(status as never) && typeof (status as Record<string, unknown>)['activeBundle'] === 'string';
}

async function preview(
  kube: KubeClient,
  desired: Desired,
  work: { readonly values: Values; readonly progress: Progress; readonly signal: AbortSignal },
): Promise<Preview> {
  const { deployment, objects } = desired;
  const { name = '', uid = '', annotations } = deployment.metadata;
  return await previewInstall({
    kube,
    // Objects that an account installs do not block the deletion of their owner.
    owner: {
      name,
      uid,
      account: readDeploymentConfig(objectAt(deployment['spec'] as JsonObject, 'config')).serviceAccount,
    },
    objects,
    ...installOptionsOf(deployment),
    ...placeOf(desired),
    systemNamespace: work.values['system-namespace'],
    isUpgrade: isInstalled(deployment),
    crdSafety: { annotations, isRestored: false },
    signal: work.signal,
    onLooked: (done, total) => work.progress.show('asking the server', { done, total, unit: 'objects' }),
  });
}

function printText(shown: readonly ShownChange[], { kept, blockers }: Preview): void {
  for (const { diff } of shown) process.stdout.write(colouredDiff(diff, process.stdout));
  for (const ref of kept) process.stderr.write(`${printableLine(titleOf(ref))} is retained\n`);
  for (const blocker of blockers) process.stderr.write(`blocked: ${printableLine(blocker)}\n`);
}

/** `longshore diff bd/NAME`: 0 no change, 1 changes, 2 when nothing would be changed because something speaks against it, or on an error. */
export async function diff(values: Values, [text]: readonly [string]): Promise<number> {
  const named = parseTarget(text, ['BundleDeployment', 'ClusterExtension']);
  const isJson = values.output === 'json';
  await using stack = new AsyncDisposableStack();
  const client = stack.use(await createContentClient(values));
  const work = stack.use(await openWorkFolder());
  const progress = stack.use(createProgress(process.stderr, { isQuiet: isJson || !process.stderr.isTTY }));
  const signal = AbortSignal.timeout(deadlineMs);
  const target = await resolveTarget(client.kube, named);
  const charts = openChartRenderer(values, work);
  const systemNamespace = values['system-namespace'];
  const live: KubeObject = await client.kube.get({ apiVersion, ...target }, { signal });
  const deployment = withRecordedNamespace(live, systemNamespace);
  const finding = { client, work, deployment, systemNamespace, charts, values, progress, signal };
  const desired = await findDesired({ ...finding, requested: values });
  // The file has the desired state; the cluster has the installed one.
  const status = deployment['status'];
  const compared = { ...desired, deployment: { ...desired.deployment, ...(status === undefined ? {} : { status }) } };
  const found = await preview(client.kube, compared, { values, progress, signal });
  progress.clear();
  const shown = found.changes.map(shownChange).filter((change) => change !== undefined);
  const { kept, blockers } = found;
  if (isJson) process.stdout.write(`${JSON.stringify({ changes: shown, kept, blockers })}\n`);
  else printText(shown, found);
  if (blockers.length > 0) return 2;
  return shown.length === 0 ? 0 : 1;
}
