import type { GroupVersionKind } from '../../constraints/index.ts';
import type { Anchor } from './anchor.ts';
import { type Candidate, compareTexts } from './candidate.ts';
import type { InstalledConstraints } from './request.ts';
import type { Requirement } from './requirement.ts';
import type { Rule } from './rule.ts';
import type { Shelf } from './shelf.ts';

/** A requirement of a bundle, and the candidates that satisfy it, the preferred first. */
export interface Need {
  readonly requirement: Requirement;
  readonly met: readonly Candidate[];
  /** It may stay unmet: of a bundle that is installed without it. */
  readonly isOptional: boolean;
}

/** What a problem is stated from. */
export interface Setting {
  readonly shelf: Shelf;
  readonly installedConstraints: InstalledConstraints;
}

/** Everything that may be chosen, and all that must hold. */
export interface Problem {
  readonly anchors: readonly Anchor[];
  /** Sorted by id. */
  readonly candidates: readonly Candidate[];
  /** Installed, and no request names or changes them: they stay. */
  readonly fixed: readonly Candidate[];
  readonly needs: ReadonlyMap<Candidate, readonly Need[]>;
  readonly rules: readonly Rule[];
}

/** What may be spent on the needs of one installed bundle that stands against nothing, and of all of them. */
const stepsOfInstalled = { ofOne: 100_000, ofAll: 1_000_000 };
/** Further bundles that would meet what an installed one misses are not looked at. */
const maxMissing = 20;

/** Others choose what is installed, and what that asks for: where it is too much to find out, it counts as met. */
function needsOf(candidate: Candidate, setting: Setting): readonly Need[] {
  const { shelf, installedConstraints } = setting;
  if (candidate.origin !== undefined || installedConstraints !== 'BestEffort') return allNeedsOf(candidate, setting);
  const maxSteps = Math.min(stepsOfInstalled.ofOne, Math.floor(stepsOfInstalled.ofAll / shelf.installed.length));
  return shelf.within(maxSteps, () => allNeedsOf(candidate, setting)) ?? [];
}

/** A bundle that meets its own requirement needs no other. */
function allNeedsOf(candidate: Candidate, { shelf, installedConstraints }: Setting): readonly Need[] {
  const { facts, origin } = candidate;
  return facts.requirements.flatMap((requirement): readonly Need[] => {
    if (shelf.isMet(requirement, facts)) return [];
    const met = shelf.meeting(requirement, origin?.catalog);
    const mayMiss = origin === undefined && installedConstraints === 'BestEffort';
    const isMissing = mayMiss && met.every((other) => other.origin !== undefined);
    if (!isMissing) return [{ requirement, met, isOptional: false }];
    return met.length === 0 ? [] : [{ requirement, met: met.slice(0, maxMissing), isOptional: true }];
  });
}

/** All that can be reached from the anchors by what bundles ask for. */
function reach(start: readonly Candidate[], setting: Setting): ReadonlyMap<Candidate, readonly Need[]> {
  const needs = new Map<Candidate, readonly Need[]>();
  const queue = new Set(start);
  for (const candidate of queue) {
    const own = needsOf(candidate, setting);
    needs.set(candidate, own);
    for (const { met } of own) for (const other of met) queue.add(other);
  }
  return needs;
}

function groupBy<T>(items: readonly T[], keysOf: (item: T) => Iterable<string>): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  }
  return groups;
}

/** What may keep others of the group from being installed: of bundles that stay whatever happens, one is enough. */
function opposed(members: readonly Candidate[], staying: ReadonlySet<Candidate>): readonly Candidate[] {
  const first = members.find((one) => staying.has(one) && one.isClaim !== true);
  return members.filter((one) => one === first || !staying.has(one));
}

function packageRules(candidates: readonly Candidate[], staying: ReadonlySet<Candidate>): readonly Rule[] {
  const groups = groupBy(candidates, ({ facts: { packageName } }) => (packageName === undefined ? [] : [packageName]));
  return [...groups].flatMap(([packageName, all]): readonly Rule[] => {
    const members = opposed(all, staying);
    return members.length < 2 ? [] : [{ kind: 'package', packageName, candidates: members }];
  });
}

/** Bundles of one package exclude one another already, whatever they provide. */
function apiRules(candidates: readonly Candidate[], staying: ReadonlySet<Candidate>): readonly Rule[] {
  const apis = new Map<string, GroupVersionKind>();
  for (const { facts } of candidates) for (const [key, api] of facts.apis) apis.set(key, api);
  const providers = groupBy(candidates, ({ facts }) => facts.apis.keys());
  return [...providers]
    .toSorted(([a], [b]) => compareTexts(a, b))
    .flatMap(([key, members]): readonly Rule[] => {
      const api = apis.get(key);
      const groups = groupBy(opposed(members, staying), ({ id, facts }) => [
        facts.packageName === undefined ? ` ${id}` : facts.packageName,
      ]);
      return api === undefined || groups.size < 2 ? [] : [{ kind: 'api', api, groups: [...groups.values()] }];
    });
}

function refusalOf(candidate: Candidate, { installedConstraints }: Setting): readonly Rule[] {
  const { facts, origin } = candidate;
  if (origin === undefined && installedConstraints === 'BestEffort') return [];
  if (origin !== undefined && facts.problem !== undefined) return [{ kind: 'refused', candidate, why: facts.problem }];
  return facts.isDeprecated ? [{ kind: 'refused', candidate, why: undefined }] : [];
}

function needRules(by: Candidate, needs: readonly Need[]): readonly Rule[] {
  const required = needs.filter(({ isOptional }) => !isOptional);
  return required.map(({ requirement, met }): Rule => ({ kind: 'requires', by, requirement, met }));
}

function anchorRules(anchor: Anchor): readonly Rule[] {
  const { candidates, present } = anchor;
  const updates = present === undefined ? [] : candidates.filter((one) => one !== present);
  return [
    { kind: 'requested', anchor },
    { kind: 'choice', anchor },
    ...updates.flatMap((update): readonly Rule[] =>
      present === undefined ? [] : [{ kind: 'replaces', update, present }],
    ),
  ];
}

/** Joins what is requested and what is installed to one question.
 *  @see docs/spec/catalogs.md#variables-and-constraints */
export function stateProblem(anchors: readonly Anchor[], setting: Setting): Problem {
  const { shelf } = setting;
  const managed = new Set(anchors.map(({ present }) => present));
  const fixed = shelf.installed.filter((candidate) => !managed.has(candidate));
  const needs = reach([...fixed, ...anchors.flatMap(({ candidates }) => candidates)], setting);
  const candidates = [...needs.keys()].toSorted((a, b) => compareTexts(a.id, b.id));
  const staying = new Set(setting.installedConstraints === 'BestEffort' ? fixed : []);
  return {
    anchors,
    candidates,
    fixed,
    needs,
    rules: [
      ...apiRules(candidates, staying),
      ...packageRules(candidates, staying),
      ...candidates.flatMap((candidate) => refusalOf(candidate, setting)),
      ...candidates.flatMap((by) => needRules(by, needs.get(by) ?? [])),
      ...fixed.map((candidate): Rule => ({ kind: 'installed', candidate })),
      ...anchors.flatMap(anchorRules),
    ],
  };
}

/** The same problem without one of the requests: what is installed for them stays. */
export function withoutAnchor(problem: Problem, anchor: Anchor): Problem {
  const anchors = problem.anchors.filter((one) => one !== anchor);
  const { present } = anchor;
  const rules = problem.rules.filter((rule) => !('anchor' in rule) || rule.anchor !== anchor);
  if (present === undefined) return { ...problem, anchors, rules };
  return {
    ...problem,
    anchors,
    fixed: [...problem.fixed, present],
    rules: [...rules, { kind: 'installed', candidate: present }],
  };
}
