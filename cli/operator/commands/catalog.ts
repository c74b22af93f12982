import { type CatalogSource, catalogSourceResource, parseImageReference } from '../../../src/api/index.ts';
import { errorMessage, type JsonObject, TerminalError } from '../../../src/base/index.ts';
import { catalogProblem, catalogState } from '../../../src/installations/index.ts';
import { isAlreadyExists, isNotFound, type KubeClient, type KubeObject } from '../../../src/kube/index.ts';
import { explainMissing, openKube } from '../../client/index.ts';
import { type documentOption, type kubeconfigOption, type OptionValues, printDocument } from '../../command/index.ts';
import { ageOf, confirm, formatTable } from '../../output/index.ts';
import { deleteObject, listCatalogSources, listSubscriptions } from '../objects.ts';
import type { addCatalogOptions, yesOption } from '../options.ts';

type AddValues = OptionValues<typeof kubeconfigOption & typeof addCatalogOptions>;
type ListValues = OptionValues<typeof kubeconfigOption & typeof documentOption>;
type RemoveValues = OptionValues<typeof kubeconfigOption & typeof yesOption> & { readonly namespace: string };

const { apiVersion, kind } = catalogSourceResource;

function goDuration(ms: number): string {
  return `${Math.round(ms / 1000)}s`;
}

function specOf(values: AddValues, source: string): JsonObject {
  const { poll, publisher } = values;
  const displayName = values['display-name'];
  return {
    sourceType: 'grpc',
    ...(values.address ? { address: source } : { image: source }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(publisher === undefined ? {} : { publisher }),
    ...(poll === undefined ? {} : { updateStrategy: { registryPoll: { interval: goDuration(poll) } } }),
  };
}

function assertImage(text: string): void {
  try {
    parseImageReference(text);
  } catch (thrown) {
    throw new TerminalError('InvalidOption', `IMAGE: ${errorMessage(thrown)}`, { cause: thrown });
  }
}

/** The controllers would refuse another one later, in the status of the CatalogSource. */
function assertAddress(text: string): void {
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : undefined;
  if (url !== undefined && url.href === `http://${url.host}/` && /:\d+$/.test(text)) return;
  throw new TerminalError('InvalidOption', `ADDRESS: expected HOST:PORT, found "${text}"`);
}

/** `longshore operator catalog add` */
export async function addCatalog(values: AddValues, [name, source]: readonly [string, string]): Promise<number> {
  if (values.address) assertAddress(source);
  else assertImage(source);
  using kube = await openKube(values);
  const { namespace } = values;
  const object = { apiVersion, kind, metadata: { name, namespace }, spec: specOf(values, source) };
  try {
    await explainMissing(kube.create(object, { fieldManager: 'longshore' }));
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
    const text = `CatalogSource "${name}" exists in namespace "${namespace}": remove it first, or choose another name`;
    throw new TerminalError('CatalogExists', text, { cause: thrown });
  }
  process.stdout.write(`CatalogSource ${namespace}/${name} created\n`);
  return 0;
}

function sourceText({ spec }: CatalogSource): string {
  return spec.image ?? spec.address ?? (spec.configMap === undefined ? '' : `ConfigMap ${spec.configMap}`);
}

function rowOf(catalog: CatalogSource): string[] {
  const { namespace = '', name, creationTimestamp } = catalog.metadata;
  const age = ageOf(creationTimestamp ?? '', Date.now());
  return [namespace, name, catalog.spec.displayName ?? '', sourceText(catalog), catalogState(catalog), age];
}

/** `longshore operator catalog list` */
export async function listCatalogs(values: ListValues): Promise<number> {
  using kube = await openKube(values);
  const catalogs = await listCatalogSources(kube);
  const rows = catalogs.map(rowOf);
  const columns = ['NAMESPACE', 'NAME', 'DISPLAY', 'SOURCE', 'STATE', 'AGE'];
  const problems = catalogs.flatMap((catalog) => catalogProblem(catalog) ?? []);
  const list = problems.map((problem) => `${problem}\n`).join('');
  printDocument(values, catalogs, () =>
    rows.length === 0 ? '' : `${formatTable(columns, rows)}${list === '' ? '' : `\n${list}`}`,
  );
  if (rows.length === 0 && values.output === 'text') {
    process.stderr.write('there are no CatalogSources: add one with longshore operator catalog add\n');
  }
  return 0;
}

async function findCatalog(kube: KubeClient, { namespace }: RemoveValues, name: string): Promise<KubeObject> {
  try {
    return await explainMissing(kube.get({ apiVersion, kind, namespace, name }));
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    const text = `no CatalogSource "${name}" in namespace "${namespace}": see longshore operator catalog list`;
    throw new TerminalError('CatalogNotFound', text, { cause: thrown });
  }
}

/** Subscriptions that get no updates without the catalog. */
async function subscribersOf(kube: KubeClient, { metadata }: KubeObject): Promise<readonly string[]> {
  const all = await listSubscriptions(kube, undefined);
  return all
    .filter(({ spec }) => spec.source === metadata.name && spec.sourceNamespace === metadata.namespace)
    .map((subscription) => `  Subscription ${subscription.metadata.namespace ?? ''}/${subscription.metadata.name}\n`);
}

/** `longshore operator catalog remove` */
export async function removeCatalog(values: RemoveValues, [name]: readonly [string]): Promise<number> {
  using kube = await openKube(values);
  const catalog = await findCatalog(kube, values, name);
  const what = `CatalogSource ${values.namespace}/${name}`;
  if (!values.yes) {
    const subscribers = await subscribersOf(kube, catalog);
    const effect = subscribers.length === 0 ? '' : `These get no updates from it any more:\n${subscribers.join('')}`;
    const unasked = `${what} was not deleted: there is no terminal to ask on: confirm with --yes`;
    await confirm({ about: `This deletes ${what}.\n${effect}`, text: 'Delete it?', unasked });
  }
  await deleteObject(kube, { apiVersion, kind, namespace: values.namespace, name }, catalog.metadata.uid);
  process.stdout.write(`${what} deleted; what was installed from it continues to run\n`);
  return 0;
}
