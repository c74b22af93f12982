import type { Subscription } from '../../../src/api/index.ts';
import {
  errorMessage,
  type JsonObject,
  objectAt,
  objectsAt,
  sha256Digest,
  TerminalError,
  TransientError,
  textAt,
} from '../../../src/base/index.ts';
import type { KubeClient } from '../../../src/kube/index.ts';
import { renderBundle } from '../../catalog-files/index.ts';
import { openKube } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues, registryOptions } from '../../command/index.ts';
import { openWorkFolder, type WorkFolder } from '../../input/index.ts';
import type { Transfer } from '../../oci/index.ts';
import { createProgress } from '../../output/index.ts';
import { ensureNamespace, prepare } from '../install.ts';
import { listSubscriptions } from '../objects.ts';
import type { runOperatorOptions } from '../options.ts';
import type { InstallRequest } from '../request.ts';
import { pullCatalog, pushCatalog } from '../run/catalog-image.ts';
import { runCatalog, runChannel } from '../run/documents.ts';
import { applyRunCatalog, findRunCatalog, removeInstalled, runCatalogName } from '../run/objects.ts';
import { targetsOf } from '../targets.ts';
import { whenReached } from '../wait.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof runOperatorOptions & typeof registryOptions> & {
  readonly namespace: string;
  readonly timeout: number;
};

interface Run {
  readonly kube: KubeClient;
  readonly values: Values;
  readonly transfer: Transfer;
  readonly work: WorkFolder;
  /** The document of the bundle. */
  readonly bundle: JsonObject;
}

function supportedModes(bundle: JsonObject): readonly string[] {
  const properties = objectsAt(bundle, 'properties');
  const metadata = properties.find(({ type }) => type === 'olm.csv.metadata');
  const csv = properties.find(({ type, value }) => {
    return type === 'olm.bundle.object' && decoded(value)?.['kind'] === 'ClusterServiceVersion';
  });
  const spec = objectAt(decoded(csv?.['value']), 'spec') ?? objectAt(metadata, 'value');
  return objectsAt(spec, 'installModes')
    .filter(({ supported }) => supported === true)
    .map((mode) => textAt(mode, 'type'));
}

/** The object of a property `olm.bundle.object`. */
function decoded(value: unknown): JsonObject | undefined {
  const data = typeof value === 'object' && value !== null && 'data' in value ? value.data : undefined;
  if (typeof data !== 'string') return undefined;
  return JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as JsonObject;
}

/** @throws TransientError that names the option where the registry does not answer */
async function push(documents: readonly JsonObject[], ref: string, { work, transfer }: Run): Promise<string> {
  try {
    return await pushCatalog(documents, { ref, work, transfer });
  } catch (thrown) {
    if (!(thrown instanceof TransientError)) throw thrown;
    const advice = 'longshore up serves a registry for catalogs of this command; --push-to names another one';
    throw new TransientError(thrown.reason, `${errorMessage(thrown)}: ${advice}`, { cause: thrown });
  }
}

/** Pushes the catalog with the bundle, after those of earlier runs, and points the CatalogSource at it. */
async function publish(run: Run, packageName: string): Promise<void> {
  const { kube, values, transfer, work, bundle } = run;
  const { namespace } = values;
  const source = await findRunCatalog(kube, namespace, packageName);
  const image = source?.spec.image;
  const earlier = image === undefined ? [] : await pullCatalog({ ref: image, work, transfer });
  const documents = runCatalog(bundle, earlier);
  const tag = sha256Digest(Buffer.from(JSON.stringify(documents))).slice('sha256:'.length, 'sha256:'.length + 12);
  const ref = `${values['push-to']}/${packageName}-catalog:${tag}`;
  await ensureNamespace(kube, namespace);
  await applyRunCatalog(kube, { namespace, packageName }, await push(documents, ref, run));
}

/** @throws TerminalError AlreadyInstalled where it comes from another catalog */
function assertOfRun({ metadata, spec }: Subscription, packageName: string): void {
  if (spec.source === runCatalogName(packageName)) return;
  const from = `${spec.sourceNamespace}/${spec.source}`;
  const text = `Subscription "${metadata.name}" in namespace "${metadata.namespace}" installs ${packageName} from catalog ${from}: uninstall it first, or use another namespace`;
  throw new TerminalError('AlreadyInstalled', text);
}

async function subscribe(run: Run, request: InstallRequest): Promise<Subscription> {
  const { kube, values } = run;
  const { packageName, startingCsv } = request;
  const all = await listSubscriptions(kube, values.namespace);
  const live = all.find(({ spec }) => spec.name === packageName);
  if (live === undefined) return (await prepare(kube, request)).subscription;
  assertOfRun(live, packageName);
  // The same version once more: what is installed would count as current.
  if (live.status?.currentCSV !== startingCsv) return live;
  await removeInstalled(kube, live);
  return (await prepare(kube, request)).subscription;
}

/** `longshore operator run DIR|IMAGE` */
export async function run(values: Values, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  await using work = await openWorkFolder();
  using progress = createProgress(process.stderr, { isQuiet: false });
  const signal = AbortSignal.timeout(values.timeout);
  const transfer = { values, progress, signal };
  const warn = (text: string): void => progress.finish(`warning: ${text}`);
  const bundle = await renderBundle(name, { ...transfer, warn });
  const [packageName, csvName] = [textAt(bundle, 'package'), textAt(bundle, 'name')];
  const { namespace } = values;
  const context: Run = { kube, values, transfer, work, bundle };
  await publish(context, packageName);
  const installModes = supportedModes(bundle);
  const subscription = await subscribe(context, {
    namespace,
    packageName,
    channel: runChannel,
    catalog: { namespace, name: runCatalogName(packageName) },
    startingCsv: csvName,
    approval: 'Automatic',
    targetNamespaces: targetsOf(values['watch-namespace'], namespace, installModes),
    areTargetsNamed: values['watch-namespace'].length > 0,
    installModes,
  });
  const { progress: reached } = await whenReached(
    { kube, timeoutMs: values.timeout, line: progress },
    subscription,
    ({ progress: state, operator }) => state.state === 'installed' && operator.csv?.metadata.name === csvName,
  );
  progress.clear();
  process.stdout.write(`${reached.text}; remove it with longshore operator uninstall ${packageName} -n ${namespace}\n`);
  return 0;
}
