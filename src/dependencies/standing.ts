import { isJsonObject, TerminalError } from '../base/index.ts';
import {
  type Constraint,
  type Dependency,
  type GroupVersionKind,
  isInRange,
  isMet,
  type Property,
  parseTolerantVersion,
  type Surroundings,
  unmetDependencies,
  type VersionRange,
} from '../constraints/index.ts';
import { Effort } from './effort.ts';

/** A bundle that is installed for a deployment, or is to be. */
export interface Participant {
  /** Of the deployment. */
  readonly name: string;
  readonly properties: readonly Property[];
  readonly dependencies: readonly Dependency[];
}

type ServesApi = (api: GroupVersionKind) => boolean;

/** What is on the cluster in addition to the bundle in question. */
export interface Survey {
  readonly active: readonly Participant[];
  /** Unpacked and desired, with dependencies, and held up by nothing but these. */
  readonly pending: readonly Participant[];
  readonly servesApi: ServesApi;
}

/** A dependency that is not met. */
export interface Unmet {
  readonly dependency: Dependency;
  /** In words. */
  readonly text: string;
}

/** Reading a version takes as long as some units of cost. */
const versionCost = 10;

function isPackageIn({ type, value }: Property, packageName: string, range: VersionRange): boolean {
  if (type !== 'olm.package' || !isJsonObject(value) || value['packageName'] !== packageName) return false;
  const { version } = value;
  if (typeof version !== 'string') return false;
  try {
    return isInRange(parseTolerantVersion(version), range);
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return false;
  }
}

function bringsApi(
  participants: readonly Participant[],
  { group, version, kind }: GroupVersionKind,
  effort?: Effort,
): boolean {
  return participants.some(({ properties }) => {
    effort?.compare(properties.length);
    return properties.some(
      ({ type, value }) =>
        type === 'olm.gvk' &&
        isJsonObject(value) &&
        value['group'] === group &&
        value['version'] === version &&
        value['kind'] === kind,
    );
  });
}

function bringsPackage(
  participants: readonly Participant[],
  { packageName, range }: { readonly packageName: string; readonly range: VersionRange },
  effort?: Effort,
): boolean {
  return participants.some(({ properties }) => {
    effort?.compare(properties.length);
    return properties.some((property) => {
      if (property.type === 'olm.package') effort?.spend(versionCost);
      return isPackageIn(property, packageName, range);
    });
  });
}

/** What constraints are evaluated against; `effort` pays for it. */
export function surroundings(participants: readonly Participant[], hasApi: ServesApi, effort?: Effort): Surroundings {
  return {
    hasPackage: (packageName, range) => bringsPackage(participants, { packageName, range }, effort),
    hasApi,
    bundles: participants.map(({ properties }) => properties),
    ...(effort !== undefined && { maxCost: () => effort.left, spend: (cost: number) => effort.spend(cost) }),
  };
}

/** Those that are unmet. Once too much was evaluated, the rest counts as one of them. */
function unmetAmong(dependencies: readonly Dependency[], around: Surroundings, effort: Effort): readonly Unmet[] {
  const unmet: Unmet[] = [];
  for (const dependency of dependencies) {
    unmet.push(...unmetDependencies([dependency], around).map((text) => ({ dependency, text })));
    if (effort.isExceeded) break;
  }
  return unmet;
}

function dependencyOf({ dependency }: Unmet): Dependency {
  return dependency;
}

/** Dependencies of `subject` that are unmet if `group` is installed in addition to what is active. */
function unmetWith(
  subject: Participant,
  group: readonly Participant[],
  { survey: { active, servesApi }, effort }: { readonly survey: Survey; readonly effort: Effort },
): readonly Unmet[] {
  const hasApi: ServesApi = (api) => servesApi(api) || bringsApi(group, api, effort);
  return unmetAmong(subject.dependencies, surroundings([...active, ...group], hasApi, effort), effort);
}

/** Whether the bundle provides something that the constraint requires; its negations are ignored.
 *  @throws TerminalError DependenciesTooCostly */
export function meetsAlone(
  constraint: Constraint,
  properties: readonly Property[],
  effort: Effort = new Effort(),
): boolean {
  if (constraint.kind === 'not') return false;
  if (constraint.kind === 'all' || constraint.kind === 'any') {
    return constraint.constraints.some((one) => meetsAlone(one, properties, effort));
  }
  const alone: Participant = { name: '', properties, dependencies: [] };
  try {
    return isMet(
      constraint,
      surroundings([alone], (api) => bringsApi([alone], api, effort), effort),
    );
  } catch (thrown) {
    if (!(thrown instanceof TerminalError) || effort.isExceeded) throw thrown;
    return false;
  }
}

/** Larger cycles of bundles that need each other are not looked for. */
const maxInvolved = 16;

/** The requirements of a bundle that others may have to meet. */
type Requirements = (of: Participant, effort: Effort) => readonly Dependency[];

/** Those of `others` that provide something of it. */
function providersOf(
  required: readonly Dependency[],
  others: readonly Participant[],
  effort: Effort,
): readonly Participant[] {
  const constraints = required.flatMap((one) => (one.type === 'constraint' ? [one.constraint] : []));
  return others.filter(({ properties }) => constraints.some((one) => meetsAlone(one, properties, effort)));
}

/** All that can be reached from `start`, which is among them. */
function reachable(start: Participant, edges: (from: Participant) => readonly Participant[]): ReadonlySet<Participant> {
  const seen = new Set([start]);
  for (const one of seen) for (const next of edges(one)) seen.add(next);
  return seen;
}

/** Those of `pending` that `subject` needs, directly or through others, and that need it in turn: only these can be installed together with it. None where
 *  there are too many, or that takes too long to find out. */
export function involvedWith(
  subject: Participant,
  pending: readonly Participant[],
  requirementsOf: Requirements = ({ dependencies }) => dependencies,
): readonly Participant[] {
  const effort = new Effort();
  const all = [subject, ...pending];
  const users = new Map<Participant, Participant[]>();
  const edges = (from: Participant): readonly Participant[] => {
    effort.spend(Effort.all / maxInvolved);
    const others = all.filter(({ name }) => name !== from.name);
    const providers = providersOf(requirementsOf(from, effort), others, effort);
    for (const provider of providers) users.set(provider, [...(users.get(provider) ?? []), from]);
    return providers;
  };
  try {
    reachable(subject, edges);
  } catch (thrown) {
    if (!effort.isExceeded) throw thrown;
  }
  if (effort.isExceeded) return [];
  const needing = reachable(subject, (provider) => users.get(provider) ?? []);
  return [...needing].filter((one) => one !== subject);
}

/** Those of `members` that could all be installed if all of them were. */
function selfSupporting(members: readonly Participant[], survey: Survey): readonly Participant[] {
  const efforts = new Map(members.map((one) => [one, new Effort(members.length)]));
  let left = members;
  for (;;) {
    const group = left;
    const next = group.filter(
      (one) => unmetWith(one, group, { survey, effort: efforts.get(one) ?? new Effort() }).length === 0,
    );
    if (next.length === left.length) return next;
    left = next;
  }
}

/** What keeps `subject` from being installed now. Nothing does when all it needs is active, or is to be installed and needs, in turn,
 *  nothing else than it: such a cycle goes together. */
export function unmetOf(subject: Participant, survey: Survey): readonly Unmet[] {
  const unmet = unmetWith(subject, [subject], { survey, effort: new Effort() });
  if (unmet.length === 0 || survey.pending.length === 0) return unmet;
  const openOf: Requirements = (one, effort) => unmetWith(one, [one], { survey, effort }).map(dependencyOf);
  const involved = involvedWith(subject, survey.pending, openOf);
  if (involved.length === 0) return unmet;
  return selfSupporting([subject, ...involved], survey).includes(subject) ? [] : unmet;
}

/** Names of those of `active` whose dependencies are met now and no longer when `change` has happened: the bundle of that deployment
 *  gone, or another in its place. Those whose dependencies take too long to evaluate are among them only if `isCautious`. */
export function usersOf(
  change: { readonly name: string; readonly next: readonly Property[] | undefined; readonly isCautious?: boolean },
  { active, servesApi }: Pick<Survey, 'active' | 'servesApi'>,
): readonly string[] {
  const { name, next, isCautious = false } = change;
  const before = active.filter((one) => one.name === name);
  const others = active.filter((one) => one.name !== name);
  const after = next === undefined ? others : [...others, { name, properties: next, dependencies: [] }];
  const dependents = others.filter(({ dependencies }) => dependencies.length > 0);
  return dependents.flatMap(({ name: user, dependencies }) => {
    const effort = new Effort(dependents.length);
    const isServedAfter: ServesApi = (api) =>
      servesApi(api) && (!bringsApi(before, api, effort) || bringsApi(after, api, effort));
    const open = new Set(unmetAmong(dependencies, surroundings(active, servesApi, effort), effort).map(dependencyOf));
    const met = dependencies.filter((one) => !open.has(one));
    const lost = unmetAmong(met, surroundings(after, isServedAfter, effort), effort);
    return (effort.isExceeded ? isCautious : lost.length > 0) ? [user] : [];
  });
}

function apisIn(constraint: Constraint): readonly GroupVersionKind[] {
  if (constraint.kind === 'gvk') return [constraint.api];
  return 'constraints' in constraint ? constraint.constraints.flatMap(apisIn) : [];
}

/** The APIs that dependencies are about, each once. */
export function neededApis(participants: readonly Pick<Participant, 'dependencies'>[]): readonly GroupVersionKind[] {
  const apis = participants.flatMap(({ dependencies }) =>
    dependencies.flatMap((one) => (one.type === 'constraint' ? apisIn(one.constraint) : [])),
  );
  const byKey = new Map(apis.map((api) => [`${api.group}/${api.version}/${api.kind}`, api]));
  return [...byKey.values()];
}
