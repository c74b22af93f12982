import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { helmProvisionerClass, injectCaAnnotation, servingCertificateAnnotation } from '../../../src/api/index.ts';
import {
  errorMessage,
  formatYamlPieces,
  type JsonObject,
  type JsonValue,
  objectAt,
  parseYaml,
  TerminalError,
} from '../../../src/base/index.ts';
import type { Staging } from '../../../src/content/index.ts';
import {
  assertSupported,
  defaultInstallNamespace,
  type RegistryBundle,
  type RenderedObject,
  readConfig,
  renderBundle,
  supportedModes,
} from '../../../src/formats/index.ts';
import { classOfBundle, openChartRenderer, readStagedRegistryBundle, stageBundle } from '../../bundle-files/index.ts';
import { keepHeapTight, type OptionValues, type registryOptions } from '../../command/index.ts';
import { openWorkFolder, type WorkFolder } from '../../input/index.ts';
import { createProgress } from '../../output/index.ts';
import { type ChartValues, chartTerms } from '../chart/chart-terms.ts';
import { readStagedChart } from '../chart/staged-chart.ts';
import type { namespaceOptions, renderOptions } from '../render-options.ts';

type Values = OptionValues<typeof namespaceOptions & typeof renderOptions & typeof registryOptions> & ChartValues;

const deadlineMs = 15 * 60_000;
const maxConfigBytes = 1024 * 1024;

async function readDeploymentConfig(path: string | undefined): Promise<JsonValue | undefined> {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    throw new TerminalError('UnreadableFile', `--deployment-config: ${errorMessage(thrown)}`, { cause: thrown });
  }
  if (text.length > maxConfigBytes) {
    throw new TerminalError('FileTooLarge', `--deployment-config: ${path}: more than ${maxConfigBytes} bytes`);
  }
  return parseYaml(path, text);
}

function watched(namespaces: readonly string[]): JsonObject {
  if (namespaces.length === 0) return {};
  return namespaces.length === 1 ? { watchNamespace: namespaces[0] ?? '' } : { watchNamespaces: [...namespaces] };
}

/** The options in the form of `spec.config`, so that one schema validates both. */
async function configOf(values: Values): Promise<JsonObject> {
  const deploymentConfig = await readDeploymentConfig(values['deployment-config']);
  const without = values['without-amendment'];
  return {
    certProvider: values['cert-provider'],
    ...watched(values['watch-namespace']),
    ...(deploymentConfig === undefined ? {} : { deploymentConfig }),
    ...(values.amendments === 'none' ? { amendments: 'none' } : {}),
    ...(without === undefined ? {} : { withoutAmendments: [...without] }),
    ...(values['drop-foreign-conversion'] === true ? { dropForeignConversion: true } : {}),
  };
}

/** What a bundle becomes with the options of the command.
 *  @throws TerminalError InvalidBundle, InvalidConfiguration, InvalidTargets, UnsupportedBundle */
async function render(bundle: RegistryBundle, values: Values): Promise<readonly RenderedObject[]> {
  const installNamespace = values['install-namespace'] ?? defaultInstallNamespace(bundle).name;
  const config = readConfig(await configOf(values), { modes: supportedModes(bundle.csv), installNamespace });
  const { certificateProvider, ...chosen } = config;
  assertSupported(bundle, { hasCertificates: true, amendments: chosen.amendments ?? 'all' });
  return renderBundle(bundle, {
    ...chosen,
    installNamespace,
    ...(certificateProvider === undefined || certificateProvider === 'none'
      ? {}
      : { certificates: certificateProvider }),
  });
}

/** The configuration in the words of the command line. */
function explain(bundle: RegistryBundle, name: string, thrown: unknown): unknown {
  if (!(thrown instanceof TerminalError)) return thrown;
  const modes = supportedModes(bundle.csv).join(', ') || 'none';
  const isAboutNamespaces = /watchNamespace|target namespaces/.test(thrown.message);
  const hint = isAboutNamespaces
    ? `\nThe bundle supports the install modes ${modes}: set --watch-namespace to fit.`
    : '';
  return new TerminalError(thrown.reason, `${name}: ${thrown.message}${hint}`, { cause: thrown });
}

/** A Secret that only an installation by Longshore fills. To issue a certificate here would print its key, and something else each time. */
function isIssued({ kind, metadata }: RenderedObject): boolean {
  return kind === 'Secret' && objectAt(metadata, 'annotations')?.[servingCertificateAnnotation] !== undefined;
}

/** What is left out, and what to do about it. */
function noteOf(issued: readonly RenderedObject[]): string {
  if (issued.length === 0) return '';
  const lines = issued.map(({ metadata: { namespace = '', name = '' } }) => {
    return `  kubectl create secret tls -n ${namespace} ${name} --cert FILE --key FILE\n`;
  });
  return (
    'note: Secrets whose certificates Longshore issues when it installs the bundle are not printed. To apply what is printed by hand, take another ' +
    `--cert-provider; or make them, and write their authority into caBundle of whatever is annotated with ${injectCaAnnotation}:\n${lines.join('')}`
  );
}

/** The text of all objects, in pieces: they may be large. */
function* piecesOf(objects: readonly JsonObject[], isJson: boolean): Generator<string> {
  if (isJson) yield '{"apiVersion":"v1","kind":"List","items":[';
  for (const [index, object] of objects.entries()) {
    if (isJson) yield `${index === 0 ? '' : ','}${JSON.stringify(object)}`;
    else {
      yield '---\n';
      yield* formatYamlPieces(object);
    }
  }
  if (isJson) yield ']}\n';
}

async function print(objects: readonly JsonObject[], { output }: Values): Promise<number> {
  await pipeline(Readable.from(piecesOf(objects, output === 'json')), process.stdout, { end: false });
  return 0;
}

/** The objects of a chart, then its hooks, as `helm template` has them. */
async function renderChart(
  name: string,
  staging: Staging,
  { values, work, signal }: { readonly values: Values; readonly work: WorkFolder; readonly signal: AbortSignal },
): Promise<readonly JsonObject[]> {
  const { content, metadata } = await readStagedChart(name, staging);
  const terms = await chartTerms(values, { name: metadata.name, namespace: values['install-namespace'] ?? 'default' });
  const { objects, hooks = [] } = await content.render(terms, { charts: openChartRenderer(values, work), signal });
  return [...objects, ...hooks.map(({ object }) => object)];
}

/** `longshore bundle render DIR|FILE|REF|-` */
export async function bundleRender(values: Values, [name]: readonly [string]): Promise<number> {
  keepHeapTight();
  await using work = await openWorkFolder();
  using progress = createProgress(process.stderr, { isQuiet: false });
  const signal = AbortSignal.timeout(deadlineMs);
  const { staging } = await stageBundle({ name, values, work, progress, signal });
  await using _staging = staging;
  if (classOfBundle(staging) === helmProvisionerClass) {
    const objects = await renderChart(name, staging, { values, work, signal });
    progress.clear();
    return await print(objects, values);
  }
  const bundle = await readStagedRegistryBundle(name, staging);
  const objects = await render(bundle, values).catch((thrown: unknown) => {
    throw explain(bundle, name, thrown);
  });
  progress.clear();
  process.stderr.write(noteOf(objects.filter(isIssued)));
  return await print(
    objects.filter((object) => !isIssued(object)),
    values,
  );
}
