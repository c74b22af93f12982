import {
  errorMessage,
  isJsonObject,
  isTrueAt,
  type JsonObject,
  objectsAt,
  parseYaml,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import type { ChartFile } from '../format.ts';
import { allCharts, type ContainedChart } from './chart-folder.ts';

/** A chart that another one needs. */
export interface ChartDependency {
  readonly name: string;
  readonly version: string;
  /** Where it is published; empty: nowhere. */
  readonly repository: string;
}

/** `Chart.yaml`, as far as it is understood. */
export interface ChartMetadata {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
  readonly description: string;
  readonly type: 'application' | 'library';
  /** Which versions of Kubernetes it is for; empty: all. */
  readonly kubeVersion: string;
  readonly isDeprecated: boolean;
  readonly dependencies: readonly ChartDependency[];
}

const versionPattern = /^v?\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

function refuse(text: string, cause?: unknown): never {
  throw new TerminalError('InvalidBundle', text, { cause });
}

/** Files that are parsed to read a chart, with those of the charts that it contains, and how many bytes of each kind there may be together: a packed chart may be a
 *  thousand times larger than what is fetched, and to parse these bytes takes time. The largest charts have a tenth of these. */
const parsedFiles: readonly { readonly names: readonly string[]; readonly maxBytes: number }[] = [
  { names: ['Chart.yaml', 'requirements.yaml'], maxBytes: 2 * 1024 * 1024 },
  { names: ['values.schema.json'], maxBytes: 8 * 1024 * 1024 },
];

/** @throws TerminalError InvalidBundle */
function assertParsedSizes(charts: readonly ContainedChart[]): void {
  for (const { names, maxBytes } of parsedFiles) {
    const files = charts.flatMap((chart) => chart.files.filter(({ path }) => names.includes(path)));
    const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
    if (bytes <= maxBytes) continue;
    const whose = charts.length > 1 ? 'the chart and the charts in it have' : 'the chart has';
    refuse(`${whose} ${names.join(' and ')} of ${bytes} bytes together, more than the limit of ${maxBytes} bytes`);
  }
}

function readDocument(name: string, files: readonly ChartFile[]): JsonObject | undefined {
  const file = files.find(({ path }) => path === name);
  if (file === undefined) return undefined;
  try {
    const document = parseYaml(name, new TextDecoder().decode(file.content));
    if (isJsonObject(document)) return document;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    refuse(`cannot load ${errorMessage(thrown)}`, thrown);
  }
  return refuse(`cannot load ${name}: expected a mapping`);
}

function dependenciesOf(document: JsonObject, files: readonly ChartFile[]): readonly ChartDependency[] {
  const isFirstVersion = textAt(document, 'apiVersion') === 'v1';
  const place = isFirstVersion ? (readDocument('requirements.yaml', files) ?? {}) : document;
  return objectsAt(place, 'dependencies').map((dependency) => ({
    name: textAt(dependency, 'name'),
    version: textOf(dependency, 'version'),
    repository: textAt(dependency, 'repository'),
  }));
}

function textOf(document: JsonObject, name: string): string {
  const value = document[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function validate(document: JsonObject): void {
  const fail = (text: string): never => refuse(`validation: ${text}`);
  for (const name of ['apiVersion', 'name', 'version']) {
    if (textOf(document, name) === '') fail(`chart.metadata.${name} is required`);
  }
  const { name, version } = { name: textOf(document, 'name'), version: textOf(document, 'version') };
  if (name.includes('/') || name === '..' || name === '.') fail(`chart.metadata.name "${name}" is invalid`);
  if (!versionPattern.test(version)) fail(`chart.metadata.version "${version}" is invalid`);
  const type = textOf(document, 'type');
  if (!['', 'application', 'library'].includes(type)) fail('chart.metadata.type must be application or library');
}

/** Reads and validates the metadata of a chart.
 *  @throws TerminalError InvalidBundle, as Helm words it */
export function readChartMetadata(files: readonly ChartFile[]): ChartMetadata {
  assertParsedSizes([{ path: '', files }]);
  const document = readDocument('Chart.yaml', files) ?? refuse('Chart.yaml file is missing');
  validate(document);
  return {
    name: textOf(document, 'name'),
    version: textOf(document, 'version'),
    appVersion: textOf(document, 'appVersion'),
    description: textOf(document, 'description'),
    type: textOf(document, 'type') === 'library' ? 'library' : 'application',
    kubeVersion: textOf(document, 'kubeVersion'),
    isDeprecated: isTrueAt(document, 'deprecated'),
    dependencies: dependenciesOf(document, files),
  };
}

function describe({ name, version, repository }: ChartDependency): string {
  const where = repository === '' ? '' : ` of ${repository}`;
  return `"${name}" (version ${version}${where})`;
}

/** The dependencies that `Chart.yaml` names and the chart does not contain. */
function missingFrom(charts: readonly ContainedChart[], metadata: ChartMetadata): readonly ChartDependency[] {
  const contained = new Set(
    charts
      .filter(({ path }) => /^charts\/[^/]+$/.test(path))
      .map(({ files }) => textOf(readDocument('Chart.yaml', files) ?? {}, 'name')),
  );
  return metadata.dependencies.filter(({ name }) => !contained.has(name));
}

/** A chart that can be rendered by itself. */
export interface CheckedChart {
  readonly metadata: ChartMetadata;
  /** It and all that it contains. */
  readonly charts: readonly ContainedChart[];
}

/** Reads a chart that is to be installed: it is an application and contains all that it needs.
 *  @throws TerminalError InvalidBundle, InvalidArchive */
export function readChart(files: readonly ChartFile[]): CheckedChart {
  const metadata = readChartMetadata(files);
  const { name, type } = metadata;
  if (type === 'library') refuse(`chart "${name}": library charts are not installable`);
  const charts = allCharts(files);
  assertParsedSizes(charts);
  const missing = missingFrom(charts, metadata);
  if (missing.length > 0) {
    const names = missing.map(describe).join(', ');
    refuse(
      `chart "${name}": found in Chart.yaml, but missing in charts/ directory: ${names}: nothing is fetched for a chart; pack its dependencies into it with helm dependency build, or helm package --dependency-update`,
    );
  }
  return { metadata, charts };
}
