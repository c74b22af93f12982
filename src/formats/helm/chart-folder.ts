import { TerminalError } from '../../base/index.ts';
import { type PackedFiles, packFiles, readPackedFiles } from '../../content/index.ts';
import type { ChartFile } from '../format.ts';

/** Of all files of a chart, and of all that its packed dependencies unpack to: Helm's own limit. */
export const maxChartBytes: number = 100 * 1024 * 1024;
/** Of all packed charts together, used or not: each takes time, however small it is. The largest charts have a tenth of these. */
const maxEntries = 10_000;
/** Charts in charts in charts. */
const maxDepth = 8;

/** Helm's words for content that is no chart. */
const noChart = 'Chart.yaml file is missing';

function refuse(text: string): never {
  throw new TerminalError('InvalidBundle', text);
}

/** The folders at the root of a bundle in which a chart lies; '' for the root itself. */
function chartFolders(files: readonly ChartFile[]): readonly string[] {
  const paths = new Set(files.map(({ path }) => path));
  if (paths.has('Chart.yaml')) return [''];
  const folders = new Set(files.flatMap(({ path }) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : [])));
  return [...folders].filter((folder) => paths.has(`${folder}/Chart.yaml`));
}

function asBuffer(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

/** What a chart may still unpack to. */
interface Room {
  leftBytes: number;
  leftEntries: number;
}

function roomBeside(files: readonly ChartFile[]): Room {
  return { leftBytes: maxChartBytes - sizeOf(files), leftEntries: maxEntries };
}

function unpack(what: string, content: Uint8Array, { leftBytes, leftEntries }: Room): PackedFiles {
  try {
    return readPackedFiles(what, asBuffer(content), { bytes: leftBytes, entries: leftEntries });
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || thrown.reason !== 'UnpackedTooLarge') throw thrown;
    return refuse(`${what}: with it the chart unpacks to more than the limit of ${maxChartBytes} bytes`);
  }
}

/** The files of a packed chart, below the folder in which it is packed. All that it unpacks to counts, for that takes time and memory also if nothing of it is used. */
function unpackChart(what: string, { content }: ChartFile, room: Room): readonly ChartFile[] {
  const { files, sizeBytes, entryCount } = unpack(what, content, room);
  room.leftBytes -= sizeBytes;
  room.leftEntries -= entryCount;
  // Of two files of one path Helm takes the last one.
  const inside = new Map<string, ChartFile>();
  for (const { path: packed, content: bytes } of files) {
    const path = pathInside(what, packed);
    if (path !== '') inside.set(path, { path, content: bytes });
  }
  return [...inside.values()];
}

/** Below the first folder; '' for what is beside it. As in Helm, `\` stands in place of each `/` in a name that has one. */
function pathInside(what: string, path: string): string {
  const [, ...names] = path.split(path.includes('\\') ? '\\' : '/');
  const segments = names
    .join('/')
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  if (segments.includes('..')) refuse(`${what}: ${JSON.stringify(path.slice(0, 200))}: leads out of the chart`);
  return segments.join('/');
}

function isPackedChart({ path }: ChartFile): boolean {
  return !path.includes('/') && /\.(tgz|tar\.gz)$/.test(path);
}

function below(files: readonly ChartFile[], folder: string): readonly ChartFile[] {
  if (folder === '') return files;
  return files.flatMap(({ path, content }) =>
    path.startsWith(`${folder}/`) ? [{ path: path.slice(folder.length + 1), content }] : [],
  );
}

/** The files of the chart that a bundle holds: at its root, in one folder of it, or packed in the only file of it.
 *  @throws TerminalError InvalidBundle, as Helm words it */
export function findChart(files: readonly ChartFile[]): readonly ChartFile[] {
  const [packed, ...others] = files;
  if (packed !== undefined && others.length === 0 && isPackedChart(packed)) {
    const inside = unpackChart(packed.path, packed, roomBeside([]));
    // An archive may hold itself, without end.
    if (inside.length === 1 && inside.every(isPackedChart)) refuse(`${packed.path}: the chart is packed twice`);
    return findChart(inside);
  }
  if (files.length === 0) refuse('no files in chart archive');
  const folders = chartFolders(files);
  const [folder] = folders;
  if (folder === undefined) {
    return refuse(`${noChart}: expected a chart at the root of the bundle, or in one folder of it`);
  }
  if (folders.length > 1) {
    refuse(
      `expected one chart, found charts in the folders ${folders.toSorted().join(', ')}: set the directory of one`,
    );
  }
  return below(files, folder);
}

/** A chart, and which one it is of those that a chart contains. */
export interface ContainedChart {
  /** `''`, `charts/common` */
  readonly path: string;
  readonly files: readonly ChartFile[];
}

/** Whether Helm takes what is at that place of `charts/` for a chart. */
function isChartName(name: string): boolean {
  return !/^[_.]/.test(name);
}

/** The files of each folder, below it. */
function byFolder(files: readonly ChartFile[]): ReadonlyMap<string, readonly ChartFile[]> {
  const folders = new Map<string, ChartFile[]>();
  for (const { path, content } of files) {
    const slash = path.indexOf('/');
    if (slash < 0) continue;
    const file = { path: path.slice(slash + 1), content };
    const inside = folders.get(path.slice(0, slash));
    if (inside === undefined) folders.set(path.slice(0, slash), [file]);
    else inside.push(file);
  }
  return folders;
}

/** Packed ones are unpacked when they are asked for: all at once may not fit into memory. */
function* dependenciesIn({ path, files }: ContainedChart, room: Room): Generator<ContainedChart> {
  const inside = below(files, 'charts');
  const place = (name: string): string => `${path === '' ? '' : `${path}/`}charts/${name}`;
  for (const [name, own] of byFolder(inside)) {
    if (isChartName(name) && own.some((file) => file.path === 'Chart.yaml')) yield { path: place(name), files: own };
  }
  for (const file of inside) {
    if (!isPackedChart(file) || !isChartName(file.path)) continue;
    yield { path: place(file.path), files: unpackChart(place(file.path), file, room) };
  }
}

function sizeOf(files: readonly ChartFile[]): number {
  return files.reduce((sum, { content }) => sum + content.length, 0);
}

/** A chart and all charts that it contains, each before those in it.
 *  @throws TerminalError InvalidArchive, InvalidBundle */
export function allCharts(files: readonly ChartFile[]): readonly ContainedChart[] {
  const found: ContainedChart[] = [];
  const room = roomBeside(files);
  const visit = (chart: ContainedChart, depth: number): void => {
    if (depth > maxDepth) refuse(`${chart.path}: charts are nested deeper than ${maxDepth} levels`);
    found.push(chart);
    for (const dependency of dependenciesIn(chart, room)) visit(dependency, depth + 1);
  };
  visit({ path: '', files }, 0);
  return found;
}

/** Where Helm takes a file for a packed chart. */
const packedDependency = /^(?:charts\/[^/_.][^/]*\/)*charts\/[^/_.][^/]*\.tgz$/;

/** The files of a chart with its packed dependencies packed again. Helm opens those itself, and programs differ in what they read of one archive: so it
 *  gets nothing of them but what was read, and is checked, here.
 *  @throws TerminalError InvalidArchive, InvalidBundle */
export function repackDependencies(files: readonly ChartFile[]): readonly ChartFile[] {
  const room = roomBeside(files);
  const repacked = (chart: ContainedChart, depth: number): readonly ChartFile[] => {
    if (depth > maxDepth) refuse(`${chart.path}: charts are nested deeper than ${maxDepth} levels`);
    return chart.files.map((file): ChartFile => {
      if (!packedDependency.test(file.path)) return file;
      const path = chart.path === '' ? file.path : `${chart.path}/${file.path}`;
      const inside = repacked({ path, files: unpackChart(path, file, room) }, depth + 1);
      const packed = inside.map(({ path: name, content }) => ({ path: `chart/${name}`, content: asBuffer(content) }));
      const isCompressible = file.content.length < sizeOf(inside) / 2;
      return { path: file.path, content: packFiles(packed, { isCompressible }) };
    });
  };
  return repacked({ path: '', files }, 0);
}
