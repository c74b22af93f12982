import { helmProvisionerClass, plainProvisionerClass, registryProvisionerClass } from '../../src/api/index.ts';
import { errorMessage, isJsonObject, type JsonObject, parseJson, TerminalError } from '../../src/base/index.ts';
import type { Staging } from '../../src/content/index.ts';
import { BundleFaults, type BundleFormat, type ChartFile, findChart, formatOf } from '../../src/formats/index.ts';
import type { KubeObject } from '../../src/kube/index.ts';

/** The facts that the files of a bundle give. */
export interface BundleFacts {
  readonly format: 'plain+v0' | 'registry+v1' | 'helm+v3' | 'unknown';
  readonly sizeBytes: number;
  /** Sorted by path. */
  readonly files: readonly { readonly path: string; readonly sizeBytes: number }[];
  /** How many objects there are of each kind, sorted: `apps/v1/Deployment`. */
  readonly objects: readonly { readonly kind: string; readonly count: number }[];
  /** What unpacking would refuse, all of it; each names its file. */
  readonly problems: readonly string[];
  /** Of a chart that has one: what its values can be. */
  readonly valuesSchema?: JsonObject;
}

interface Read {
  readonly objects: readonly JsonObject[];
  readonly problems: readonly string[];
}

/** @throws what is no statement about the bundle */
function noted(problems: string[], work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    problems.push(...(thrown instanceof BundleFaults ? thrown.faults : [thrown]).map(errorMessage));
  }
}

/** Every file by itself, so that one bad file does not hide the next. */
async function readManifests(staging: Staging, format: BundleFormat): Promise<Read> {
  const problems: string[] = [];
  let objects: readonly JsonObject[] = [];
  const present = new Set<string>();
  const reader = format.begin('');
  for (const directory of format.directories === 'all' ? [''] : format.directories) {
    const entries =
      format.directories === 'all'
        ? staging.readFiles(format.maxFileBytes)
        : staging.readDirectory(directory, format.maxFileBytes);
    if (entries === undefined) continue;
    present.add(directory);
    for await (const entry of entries) noted(problems, () => reader.add(directory, entry));
  }
  noted(problems, () => {
    ({ objects } = reader.finish(present));
  });
  return { objects: problems.length > 0 ? (reader.taken ?? []) : objects, problems };
}

function countKinds(objects: readonly Pick<KubeObject, 'apiVersion' | 'kind'>[]): BundleFacts['objects'] {
  const counts = new Map<string, number>();
  for (const { apiVersion, kind } of objects) {
    const name = `${apiVersion}/${kind}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

/** A chart at the root, in one folder, or packed. */
function isChart({ tree }: Staging): boolean {
  const children = [...tree.root.children.keys()];
  if (children.some((name) => tree.get([name, 'Chart.yaml'])?.kind === 'file')) return true;
  const [only = ''] = children;
  return tree.get(['Chart.yaml'])?.kind === 'file' || (children.length === 1 && /\.(tgz|tar\.gz)$/.test(only));
}

function formatName(staging: Staging): BundleFacts['format'] {
  if (staging.tree.get(['manifests'])?.kind !== 'directory') return isChart(staging) ? 'helm+v3' : 'unknown';
  return staging.tree.get(['metadata', 'annotations.yaml'])?.kind === 'file' ? 'registry+v1' : 'plain+v0';
}

const classes: Readonly<Record<BundleFacts['format'], string>> = {
  'plain+v0': plainProvisionerClass,
  'registry+v1': registryProvisionerClass,
  'helm+v3': helmProvisionerClass,
  unknown: plainProvisionerClass,
};

/** The provisioner class for the format that the files look like. */
export function classOfBundle(staging: Staging): string {
  return classes[formatName(staging)];
}

const schemaName = 'values.schema.json';

/** The schema of a chart's values; undefined where it has none, or none that can be read. */
async function valuesSchemaOf(staging: Staging): Promise<JsonObject | undefined> {
  const files: ChartFile[] = [];
  for await (const entry of staging.readFiles(formatOf(helmProvisionerClass).maxFileBytes)) {
    if (entry.kind === 'file') files.push({ path: entry.name, content: entry.content });
  }
  try {
    const found = findChart(files).find(({ path }) => path === schemaName);
    const schema = found === undefined ? undefined : parseJson(schemaName, Buffer.from(found.content).toString());
    return isJsonObject(schema) ? schema : undefined;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return undefined;
  }
}

/** Evaluates the staged files as the provisioners do. */
export async function inspectBundle(staging: Staging): Promise<BundleFacts> {
  const format = formatName(staging);
  const { objects, problems } = await readManifests(staging, formatOf(classes[format]));
  const valuesSchema = format === 'helm+v3' ? await valuesSchemaOf(staging) : undefined;
  const files = staging.tree
    .entries()
    .flatMap(({ path, node }) => (node.kind === 'file' ? [{ path, sizeBytes: node.sizeBytes }] : []));
  return {
    format,
    sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
    files,
    objects: countKinds(objects as unknown as KubeObject[]),
    problems,
    ...(valuesSchema === undefined ? {} : { valuesSchema }),
  };
}
