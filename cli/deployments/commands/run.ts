import { basename, join } from 'node:path';
import { helmProvisionerClass, plainProvisionerClass } from '../../../src/api/index.ts';
import { errorMessage, type JsonObject, printableLine, TerminalError } from '../../../src/base/index.ts';
import { packStaged, type Staging } from '../../../src/content/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import { classOfBundle, openChartRenderer } from '../../bundle-files/index.ts';
import { type ContentClient, createContentClient, parseTarget } from '../../client/index.ts';
import type { clusterOptions, helmOption, OptionValues, registryOptions } from '../../command/index.ts';
import { openWorkFolder, type WorkFolder } from '../../input/index.ts';
import { createProgress, type Progress } from '../../output/index.ts';
import type { runOptions, timeoutOption } from '../options.ts';
import { applyDeployment, type DeploymentSpec } from '../run/apply.ts';
import { validateBundle } from '../run/check.ts';
import { readRunConfig } from '../run/config.ts';
import { defaultBranch } from '../run/default-branch.ts';
import { fetchHere, sourceSpec } from '../run/fetch.ts';
import { type RunSource, readRunSource } from '../run/source.ts';
import { whenInstalled } from '../run/wait.ts';
import { deployPacked } from '../upload-deployment.ts';

type Values = OptionValues<
  typeof runOptions & typeof helmOption & typeof timeoutOption & typeof clusterOptions & typeof registryOptions
>;

const deadlineMs = 15 * 60_000;

interface Run {
  readonly name: string;
  /** SOURCE as it was typed. */
  readonly word: string;
  readonly source: RunSource;
  readonly values: Values;
  readonly config: JsonObject;
  readonly client: ContentClient;
  readonly work: WorkFolder;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Under the name of the original, this is the original's command: it neither validates nor waits. */
function isOriginal(): boolean {
  return basename(process.argv[1] ?? '') === 'rukpakctl';
}

function isAsked(values: Values, name: 'validate' | 'wait'): boolean {
  return values[name] ?? !isOriginal();
}

async function sourceOf({ source, values, signal }: Run): Promise<object> {
  const isOpen = source.kind === 'git' && source.ref === undefined;
  const branch = isOpen ? await defaultBranch(source.repository, signal) : undefined;
  return sourceSpec(source, branch, values.secret);
}

/** Undefined where only the cluster can fetch the bundle and the user named its class: then there is nothing to detect, and nothing to validate. */
async function stage(run: Run, spec: object): Promise<Staging | undefined> {
  const { source, values, progress } = run;
  const givenClass = values['bundle-provisioner-class'];
  if (source.kind !== 'local' && givenClass !== undefined && !isAsked(values, 'validate')) return undefined;
  try {
    return await fetchHere(source, spec, run);
  } catch (thrown) {
    if (source.kind === 'local' || run.signal.aborted) throw thrown;
    if (givenClass === undefined) {
      const text = `${errorMessage(thrown)}; if only the cluster can fetch it, name its class with --bundle-provisioner-class`;
      throw new TerminalError('NotFetched', text, { cause: thrown });
    }
    progress.finish(`not validated, since it cannot be fetched from here: ${printableLine(errorMessage(thrown))}`);
    return undefined;
  }
}

function specOf({ name, values, config }: Run, source: object, staging: Staging | undefined): DeploymentSpec {
  const given = values['bundle-provisioner-class'];
  const bundleClass = given ?? (staging === undefined ? plainProvisionerClass : classOfBundle(staging));
  return {
    name,
    source,
    config,
    bundleClass,
    deploymentClass: deploymentClassFor(bundleClass, values['bundle-deployment-provisioner-class']),
  };
}

/** RukPak's provisioner for plain bundles installs operators as well, but no charts. */
function deploymentClassFor(bundleClass: string, given: string): string {
  return bundleClass === helmProvisionerClass && given === plainProvisionerClass ? helmProvisionerClass : given;
}

async function upload(run: Run, spec: DeploymentSpec, staging: Staging): Promise<KubeObject> {
  const { name, word, client, work, progress, signal } = run;
  const path = join(work.path, 'bundle.tgz');
  const digest = await packStaged(staging, path, { what: word, signal });
  const { source: _source, ...desired } = spec;
  const events = {
    onApplied: () => print(`bundledeployment.core.rukpak.io "${name}" applied`),
    onSent: (done: number, total: number) => progress.show(`uploading ${word}`, { done, total, unit: 'bytes' }),
  };
  const { config = {} } = desired;
  const uploaded = await deployPacked(client, { ...desired, config, packed: { path, digest } }, events);
  progress.clear();
  const { bundle, isNew } = uploaded;
  print(isNew ? `successfully uploaded bundle content for "${bundle}"` : `bundle "${bundle}" is already up-to-date`);
  return uploaded.deployment;
}

async function apply(run: Run): Promise<KubeObject> {
  const source = await sourceOf(run);
  await using staging = await stage(run, source);
  const spec = specOf(run, source, staging);
  const { word, client, signal, progress } = run;
  if (staging !== undefined && isAsked(run.values, 'validate')) {
    progress.show(`validating ${word}`);
    const systemNamespace = run.values['system-namespace'];
    const charts = openChartRenderer(run.values, run.work);
    await validateBundle(staging, spec, { kube: client.kube, systemNamespace, charts, what: word, signal });
  }
  progress.clear();
  if (run.source.kind === 'local' && staging !== undefined) return await upload(run, spec, staging);
  const deployment = await applyDeployment(client.kube, spec);
  print(`bundledeployment.core.rukpak.io "${run.name}" applied`);
  return deployment;
}

async function wait({ name, values, client, progress }: Run, deployment: KubeObject): Promise<void> {
  const { bundle, version } = await whenInstalled(
    { kube: client.kube, timeoutMs: values.timeout, progress },
    deployment,
  );
  progress.clear();
  const what = version === undefined ? '' : `version ${version}, `;
  print(`bundledeployment.core.rukpak.io "${name}" installed (${what}bundle ${bundle})`);
}

/** `longshore run NAME SOURCE`: 1 when it is not installed in time, or cannot be. */
export async function run(values: Values, [target, word]: readonly [string, string]): Promise<number> {
  const { name } = parseTarget(target, ['BundleDeployment']);
  const source = readRunSource(word, values);
  const config = await readRunConfig(values);
  await using stack = new AsyncDisposableStack();
  const work = stack.use(await openWorkFolder());
  const client = stack.use(await createContentClient(values));
  const progress = stack.use(createProgress(process.stderr, { isQuiet: isOriginal() && !process.stderr.isTTY }));
  const signal = AbortSignal.timeout(deadlineMs);
  const started: Run = { name, word, source, values, config, client, work, progress, signal };
  const deployment = await apply(started);
  if (isAsked(values, 'wait')) await wait(started, deployment);
  return 0;
}
