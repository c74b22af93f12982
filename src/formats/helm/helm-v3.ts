import {
  isJsonObject,
  type JsonObject,
  lazily,
  objectAt,
  sha256Digest,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import type { DirectoryEntry } from '../../content/index.ts';
import {
  type BundleContent,
  type BundleFormat,
  type BundleReader,
  type ChartFile,
  type ChartRequest,
  type InstallTerms,
  maxManifestsBytes,
  type Rendered,
  type RenderTools,
  renderFailed,
} from '../format.ts';
import { readManifestFile, ValueCount } from '../manifest-file.ts';
import { findChart, maxChartBytes, repackDependencies } from './chart-folder.ts';
import { type CheckedChart, readChart } from './chart-metadata.ts';
import { chartConfigProblems, chartConfigWarnings, maxValuesBytes, readChartConfig } from './config.ts';
import { withLookups } from './lookups.ts';
import { releaseFactsOf } from './release-facts.ts';
import { explainFailure, readRendered } from './rendered.ts';
import { assertSchemasAlone, type ChartTraits, namedApis, traitsOf } from './templates.ts';

/** Helm's own limit. */
const maxFileBytes = 5 * 1024 * 1024;
const unnamedLink = /(^|\/)(README|LICENSE|NOTICE|CHANGELOG|CONTRIBUTING|OWNERS)[^/]*$/i;

function refuse(text: string): never {
  throw new TerminalError('InvalidBundle', text);
}

/** The definitions of `crds/`: what the chart brings whatever its values are. */
function definitionsOf({ charts }: CheckedChart): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const values = new ValueCount();
  let leftBytes = maxManifestsBytes;
  for (const { path: folder, files } of charts) {
    for (const { path, content } of files) {
      if (!/^crds\/.*\.(ya?ml|json)$/.test(path)) continue;
      const name = folder === '' ? path : `${folder}/${path}`;
      leftBytes -= content.length;
      if (leftBytes < 0) refuse(`the files of crds/ together have more than the limit of ${maxManifestsBytes} bytes`);
      const take = (object: JsonObject): void => void found.push(object);
      readManifestFile(name, Buffer.from(content), { take, values, mayLackApiVersion: true });
    }
  }
  return found;
}

function nameOf(object: JsonObject): string {
  return textAt(objectAt(object, 'metadata'), 'name');
}

/** What the result depends on: a cluster that offers something else changes it only if the chart asks for that. */
function keyOf(traits: ChartTraits, request: Omit<ChartRequest, 'key'>): string {
  const { isUnsteady, asksForCapabilities } = traits;
  const { files, release, values, kubeVersion, apiVersions } = request;
  const minorVersion = kubeVersion.split('.').slice(0, 2).join('.');
  const capabilities = asksForCapabilities ? [minorVersion, ...namedApis(traits, apiVersions)] : [];
  const { name, namespace, isUpgrade, isRepeated = false } = release;
  return sha256Digest(
    JSON.stringify([
      files.map(({ path, content }) => [path, sha256Digest(Buffer.from(content))]),
      [name, namespace, isUnsteady && isUpgrade, isRepeated],
      values.map(({ text, targetPath = '' }) => [text, targetPath]),
      capabilities,
    ]),
  );
}

function assertSize(request: Pick<ChartRequest, 'values'>): void {
  const bytes = request.values.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes <= maxValuesBytes) return;
  throw new TerminalError(renderFailed, `values of ${bytes} bytes, more than the limit of ${maxValuesBytes} bytes`);
}

function requestOf(own: readonly ChartFile[], traits: ChartTraits, terms: InstallTerms): ChartRequest {
  const { config, cluster, release } = terms;
  const { values } = readChartConfig(config);
  if (release === undefined) throw new Error('a chart is rendered for a release');
  const files = withLookups(own, { objects: release.objects ?? [], namespace: release.namespace });
  const all = [...release.valuesFrom, ...(values === undefined ? [] : [values])];
  const { kubeVersion, apiVersions = [] } = cluster;
  const request = { files, release, values: all, kubeVersion, apiVersions };
  assertSize(request);
  return { ...request, key: keyOf(traits, request) };
}

/** The rendering, whose errors name the places of values. */
async function rendering(request: ChartRequest, { charts, signal }: RenderTools): Promise<Buffer> {
  try {
    return await charts.render(request, { signal });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== renderFailed) throw thrown;
    throw new TerminalError(renderFailed, explainFailure(thrown.message, request.values), { cause: thrown });
  }
}

function contentOf(files: readonly ChartFile[], chart: CheckedChart): BundleContent {
  const definitions = definitionsOf(chart);
  const traits = lazily(() => traitsOf(chart.charts));
  return {
    objects: definitions,
    parsed: undefined,
    version: chart.metadata.version,
    render: async (terms, tools): Promise<Rendered> => {
      const request = requestOf(files, traits(), terms);
      const rendered = readRendered(await rendering(request, tools));
      const release = releaseFactsOf(files, request.values);
      return { ...rendered, definitions: definitions.map(nameOf), isUnsteady: traits().isUnsteady, release };
    },
    lint: async (terms, { charts, signal }) => await charts.lint(requestOf(files, traits(), terms), { signal }),
  };
}

class ChartReader implements BundleReader {
  readonly #files: ChartFile[] = [];
  readonly #links: string[] = [];
  #sizeBytes = 0;

  add(_directory: string, entry: DirectoryEntry): void {
    if (entry.kind === 'directory') return;
    this.#sizeBytes += entry.content.length;
    if (this.#sizeBytes > maxChartBytes) refuse(`the chart has more than the limit of ${maxChartBytes} bytes`);
    this.#files.push({ path: entry.name, content: entry.content });
  }

  addLink(path: string): void {
    if (!unnamedLink.test(path)) this.#links.push(path);
  }

  finish(): BundleContent {
    const files = findChart(this.#files);
    const [link] = this.#links;
    if (link !== undefined) {
      refuse(`${link}: is a symbolic link: expected the file itself; helm package writes a chart without links`);
    }
    const repacked = repackDependencies(files);
    const chart = readChart(repacked);
    assertSchemasAlone(chart.charts);
    return contentOf(repacked, chart);
  }
}

/** Charts of Helm, rendered by Helm's own engine.
 *  @see docs/spec/rukpak-v1alpha1.md#helm-v3, docs/decisions/0014-charts-are-rendered-by-helm.md */
export const helmV3: BundleFormat = {
  name: 'helm+v3',
  directories: 'all',
  maxFileBytes,
  dependsOnCluster: true,
  hasReleases: true,
  begin: () => new ChartReader(),
  restore: () => {
    throw new Error('charts are not stored in parsed form');
  },
  configProblems: chartConfigProblems,
  configWarnings: (config) => (isJsonObject(config) ? chartConfigWarnings(config) : []),
};
