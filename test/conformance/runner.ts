import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mapLimit } from '../../src/base/index.ts';
import { Connection } from './connection.ts';
import { Probe, type Step } from './probe.ts';
import type { Area, ConformanceCase } from './suite.ts';

const casesFolder = join(import.meta.dirname, 'cases');

/** An area with the name of its file (no extension). */
export interface NamedArea {
  readonly file: string;
  readonly area: Area;
}

/** A server under test. */
export interface Subject extends SubjectTraits {
  readonly connection: Connection;
}

/** What a case may count on. */
export interface SubjectTraits {
  readonly hasControllers: boolean;
  /** Its parts learn of a write from a watch, a moment later. The embedded server has one store for all. */
  readonly hasCaches: boolean;
}

/** The files of cases, sorted by name. */
export async function areaFiles(): Promise<string[]> {
  const names = await readdir(casesFolder);
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.slice(0, -3))
    .sort();
}

export async function loadArea(file: string): Promise<NamedArea> {
  const module = (await import(join(casesFolder, `${file}.ts`))) as { cases?: Area };
  if (module.cases === undefined) throw new Error(`test/conformance/cases/${file}.ts exports no "cases"`);
  return { file, area: module.cases };
}

/** Runs one case; what it saw. Throws what the case throws. */
export async function runCase(subject: Subject, conformanceCase: ConformanceCase): Promise<readonly Step[]> {
  const probe = new Probe(subject.connection, subject.hasCaches);
  try {
    await probe.prepare(subject.hasControllers);
    await conformanceCase.run(probe);
  } finally {
    await probe.finish();
  }
  return probe.steps;
}

/** What a case saw, or what it failed with; undefined where the server cannot do what the case needs. */
export type Outcome = { readonly steps: readonly Step[] } | { readonly failure: string } | undefined;

/** Runs cases, some at a time unless the area is serial. */
export async function runCases(
  subject: Subject,
  cases: readonly ConformanceCase[],
  lanes: number,
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  await mapLimit(cases, lanes, async (conformanceCase) => {
    outcomes.set(conformanceCase.name, await outcomeOf(subject, conformanceCase));
  });
  return outcomes;
}

async function outcomeOf(subject: Subject, conformanceCase: ConformanceCase): Promise<Outcome> {
  if (conformanceCase.needs === 'controllers' && !subject.hasControllers) return undefined;
  try {
    return { steps: await runCase(subject, conformanceCase) };
  } catch (thrown) {
    return { failure: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The server of a kubeconfig (YAML). */
export function subjectOf(kubeconfig: string, traits: SubjectTraits): Subject & Disposable {
  const connection = new Connection(kubeconfig);
  return { connection, ...traits, [Symbol.dispose]: () => connection[Symbol.dispose]() };
}
