import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonEqual, isJsonObject, type JsonValue } from '../../src/base/index.ts';
import type { Step } from './probe.ts';

/** What the servers showed in one case. */
export interface Sighting {
  /** The real kube-apiserver. */
  readonly kube: readonly Step[];
  /** The embedded server, where it differs on purpose. */
  readonly embedded?: readonly Step[];
}

/** By case name. */
export type Sightings = Readonly<Record<string, Sighting>>;

function fileOf(areaFile: string): string {
  return join(import.meta.dirname, 'seen', `${areaFile}.json`);
}

/** The recorded sightings of an area; empty when it was never recorded. */
export async function readSightings(areaFile: string): Promise<Sightings> {
  try {
    return JSON.parse(await readFile(fileOf(areaFile), 'utf8')) as Sightings;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw thrown;
  }
}

function formatSteps(steps: readonly Step[]): string {
  return `[\n${steps.map((step) => `   ${JSON.stringify(step)}`).join(',\n')}]`;
}

/** Writes an area's sightings, a line a step. */
export async function writeSightings(areaFile: string, sightings: Sightings): Promise<void> {
  const cases = Object.entries(sightings).map(([name, { kube, embedded }]) => {
    const own = embedded === undefined ? '' : `,\n  "embedded": ${formatSteps(embedded)}`;
    return ` ${JSON.stringify(name)}: {\n  "kube": ${formatSteps(kube)}${own}}`;
  });
  await writeFile(fileOf(areaFile), `{\n${cases.join(',\n')}\n}\n`);
}

function show(value: JsonValue | undefined): string {
  const text = value === undefined ? '(absent)' : JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}

function differencesAt(path: string, kube: JsonValue | undefined, ours: JsonValue | undefined): string[] {
  if (kube === ours || (kube !== undefined && ours !== undefined && isJsonEqual(kube, ours))) return [];
  if (Array.isArray(kube) && Array.isArray(ours)) {
    const indexes = Array.from({ length: Math.max(kube.length, ours.length) }, (_, index) => index);
    return indexes.flatMap((index) => differencesAt(`${path}[${index}]`, kube[index], ours[index]));
  }
  if (isJsonObject(kube) && isJsonObject(ours)) {
    const keys = [...new Set([...Object.keys(kube), ...Object.keys(ours)])];
    return keys.flatMap((key) => differencesAt(path === '' ? key : `${path}.${key}`, kube[key], ours[key]));
  }
  return [`${path}\n      kube: ${show(kube)}\n      ours: ${show(ours)}`];
}

/** The order of managedFields hangs on whether a second passed between two writes: it is no part of what is compared. */
function withoutTimeOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutTimeOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => {
    const settled = withoutTimeOrder(member ?? null);
    const isSorted = key === 'managedFields' && Array.isArray(settled);
    return [key, isSorted ? settled.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : settled];
  });
  return Object.fromEntries(entries);
}

/** Where two runs of a case saw different things, for people; empty when they agree. */
export function differencesOf(kube: readonly Step[], ours: readonly Step[]): string[] {
  const lines: string[] = [];
  for (let index = 0; index < Math.max(kube.length, ours.length); index++) {
    const step = kube[index] ?? ours[index];
    const label = [step?.['ask'], step?.['watch'], step?.['label']].find((text) => typeof text === 'string') ?? '';
    const [before, now] = [kube[index], ours[index]].map((seen) => seen && withoutTimeOrder(seen));
    const found = differencesAt('', before, now);
    if (found.length > 0) lines.push(`step ${index + 1}, ${label}`, ...found.map((line) => `  ${line}`));
  }
  return lines;
}
