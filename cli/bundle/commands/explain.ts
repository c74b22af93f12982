import { helmProvisionerClass } from '../../../src/api/index.ts';
import { printable } from '../../../src/base/index.ts';
import {
  defaultInstallNamespace,
  type ExplainedObjects,
  type Explanation,
  explainBundle,
  findCertificateProvider,
  type RegistryBundle,
  renderBundle,
  supportedModes,
} from '../../../src/formats/index.ts';
import { classOfBundle, openChartRenderer, readStagedRegistryBundle, stageBundle } from '../../bundle-files/index.ts';
import { keepHeapTight, type OptionValues, type outputOption, type registryOptions } from '../../command/index.ts';
import { openWorkFolder } from '../../input/index.ts';
import { createProgress } from '../../output/index.ts';
import { type ChartValues, chartTerms } from '../chart/chart-terms.ts';
import { type ExplainedChart, explainChart } from '../chart/explain-chart.ts';
import { readStagedChart } from '../chart/staged-chart.ts';

type Values = OptionValues<typeof registryOptions & typeof outputOption> & ChartValues;

const deadlineMs = 15 * 60_000;
/** Stands for a namespace that only the user knows. */
const watchedNamespace = 'WATCHED';

/** A way of installing that the bundle supports, the widest first. */
function targetsOf(bundle: RegistryBundle, installNamespace: string): readonly string[] {
  const modes = supportedModes(bundle.csv);
  if (modes.includes('AllNamespaces')) return [''];
  if (modes.includes('OwnNamespace')) return [installNamespace];
  return modes.includes('SingleNamespace') ? [watchedNamespace] : [watchedNamespace, `${watchedNamespace}-2`];
}

/** What the operator watches when it is installed as it is explained. */
function watchesOf([first = '', ...others]: readonly string[], installNamespace: string): string {
  if (first === '') return 'all namespaces';
  if (first === installNamespace) return 'its own namespace';
  return others.length === 0 ? `one namespace, here called ${first}` : 'several namespaces';
}

interface Explained extends Explanation {
  /** What the operator watches in the installation that is explained. */
  readonly watches: string;
}

function explain(bundle: RegistryBundle): Explained {
  const installNamespace = defaultInstallNamespace(bundle).name;
  const targetNamespaces = targetsOf(bundle, installNamespace);
  const certificates = findCertificateProvider('cert-manager');
  const objects = renderBundle(bundle, {
    installNamespace,
    targetNamespaces,
    ...(certificates === undefined ? {} : { certificates }),
  });
  return { ...explainBundle(bundle, objects), watches: watchesOf(targetNamespaces, installNamespace) };
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function permissionLines({ permissions }: ExplainedObjects): readonly string[] {
  return permissions.flatMap(({ account, scope, rules }) => [
    `${account}, ${scope === 'cluster' ? 'in the whole cluster' : `in namespace ${scope}`}`,
    ...rules.map((rule) => `  ${rule}`),
  ]);
}

function apisSection({ crds }: ExplainedObjects): string {
  return section(
    'Provided APIs',
    crds.map(({ name, scope, versions }) => `${name} (${scope}; ${versions.join(', ')})`),
  );
}

/** Webhooks and counts, at the end of every description. */
function closingSections({ webhooks, objects }: ExplainedObjects): readonly string[] {
  const lines = webhooks.flatMap(({ name, type, failurePolicy, rules }) => [
    `${name} (${type}, on failure: ${failurePolicy})`,
    ...rules.map((rule) => `  ${rule}`),
  ]);
  const counts = objects.map(({ kind, count }) => `${count} ${kind}`);
  return [section('Webhooks', lines), section('Created objects', counts)];
}

/** What objects do, whatever they were rendered from. */
function objectSections(it: ExplainedObjects): string {
  return [
    section('Warnings', it.warnings),
    section(
      'Workloads',
      it.deployments.map(({ name, replicas, account }) => `${name}, replicas: ${replicas}, as ${account}`),
    ),
    section(`Requires the Pod Security level ${it.podSecurity.level}, because of`, it.podSecurity.reasons),
    section('Images', it.images),
    section('Permissions', permissionLines(it)),
    apisSection(it),
    ...closingSections(it),
  ].join('');
}

function textOfChart(it: ExplainedChart): string {
  const { name, version, appVersion, description, kubeVersion, dependencies, isDeprecated } = it.chart;
  const random = 'Its templates may render to something else each time: the result is stored when it is installed.\n';
  return [
    `${name} ${version}${appVersion === '' ? '' : `, of ${name} ${appVersion}`}\n`,
    description === '' ? '' : `${description}\n`,
    isDeprecated ? 'It is deprecated.\n' : '',
    kubeVersion === '' ? '' : `Needs Kubernetes ${kubeVersion}.\n`,
    it.isUnsteady ? random : '',
    section(
      'Contains',
      dependencies.map((dependency) => `${dependency.name} ${dependency.version}`),
    ),
    section(
      'Hooks',
      it.hooks.map(({ events, weight, object }) => `${object}: ${events.join(', ')} (weight ${weight})`),
    ),
    objectSections(it),
  ].join('');
}

function textOf(it: Explained): string {
  const title = `${it.packageName} ${it.version} (${it.name})\n`;
  const kube = it.minKubeVersion === '' ? '' : `Needs Kubernetes ${it.minKubeVersion} or later.\n`;
  return [
    title,
    `Runs in namespace ${it.suggestedNamespace} by default; supports ${it.installModes.join(', ') || 'no install mode'}.\n`,
    `The following applies when it watches ${it.watches}.\n`,
    kube,
    section('Warnings', it.warnings),
    section(
      'Workloads',
      it.deployments.map(({ name, replicas, account }) => `Deployment ${name}, replicas: ${replicas}, as ${account}`),
    ),
    section(`Requires the Pod Security level ${it.podSecurity.level}, because of`, it.podSecurity.reasons),
    section('Images', it.images),
    section('Permissions', permissionLines(it)),
    apisSection(it),
    section('Provided aggregated APIs', it.apiServices),
    section('Required APIs', it.requiredApis),
    ...closingSections(it),
  ].join('');
}

/** `longshore bundle explain DIR|FILE|REF|-` */
export async function bundleExplain(values: Values, [name]: readonly [string]): Promise<number> {
  keepHeapTight();
  await using work = await openWorkFolder();
  const isJson = values.output === 'json';
  using progress = createProgress(process.stderr, { isQuiet: isJson });
  const { staging } = await stageBundle({ name, values, work, progress, signal: AbortSignal.timeout(deadlineMs) });
  await using _staging = staging;
  if (classOfBundle(staging) === helmProvisionerClass) {
    const { content, metadata } = await readStagedChart(name, staging);
    const namespace = 'default';
    const terms = await chartTerms(values, { name: metadata.name, namespace });
    const tools = { charts: openChartRenderer(values, work), signal: AbortSignal.timeout(deadlineMs) };
    const explained = explainChart(metadata, await content.render(terms, tools), namespace);
    progress.clear();
    process.stdout.write(isJson ? `${JSON.stringify(explained)}\n` : printable(textOfChart(explained)));
    return 0;
  }
  const explanation = explain(await readStagedRegistryBundle(name, staging));
  progress.clear();
  process.stdout.write(isJson ? `${JSON.stringify(explanation)}\n` : printable(textOf(explanation)));
  return 0;
}
