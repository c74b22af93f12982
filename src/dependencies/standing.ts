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

function bringsApi(participants: readonly Participant[], { group, version, kind }: GroupVersionKind): boolean {
  return participants.some(({ properties }) =>
    properties.some(
      ({ type, value }) =>
        type === 'olm.gvk' &&
        isJsonObject(value) &&
        value['group'] === group &&
        value['version'] === version &&
        value['kind'] === kind,
    ),
  );
}

/** What constraints are evaluated against. */
export function surroundings(participants: readonly Participant[], hasApi: ServesApi): Surroundings {
  return {
    hasPackage: (packageName, range) =>
      participants.some(({ properties }) => properties.some((property) => isPackageIn(property, packageName, range))),
    hasApi,
    bundles: participants.map(({ properties }) => properties),
  };
}

function unmetAmong(dependencies: readonly Dependency[], around: Surroundings): readonly Unmet[] {
  return dependencies.flatMap((dependency) =>
    unmetDependencies([dependency], around).map((text) => ({ dependency, text })),
  );
}

/** Dependencies of `subject` that are unmet if `group` is installed in addition to what is active. */
function unmetWith(
  subject: Participant,
  group: readonly Participant[],
  { active, servesApi }: Survey,
): readonly Unmet[] {
  const hasApi: ServesApi = (api) => servesApi(api) || bringsApi(group, api);
  return unmetAmong(subject.dependencies, surroundings([...active, ...group], hasApi));
}

/** Whether the bundle provides something that the constraint requires; its negations are ignored. */
export function meetsAlone(constraint: Constraint, properties: readonly Property[]): boolean {
  if (constraint.kind === 'not') return false;
  if (constraint.kind === 'all' || constraint.kind === 'any') {
    return constraint.constraints.some((one) => meetsAlone(one, properties));
  }
  const alone: Participant = { name: '', properties, dependencies: [] };
  try {
    return isMet(
      constraint,
      surroundings([alone], (api) => bringsApi([alone], api)),
    );
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    return false;
  }
}

/** Those of `pending` that could all be installed if all of them were. */
function selfSupporting(pending: readonly Participant[], survey: Survey): readonly Participant[] {
  let left = pending;
  for (;;) {
    const group = left;
    const next = group.filter((one) => unmetWith(one, group, survey).length === 0);
    if (next.length === left.length) return next;
    left = next;
  }
}

/** Those that can be reached from `start`, which is among them only if something leads back to it. */
function reachable(start: Participant, edges: (from: Participant) => readonly Participant[]): ReadonlySet<Participant> {
  const seen = new Set<Participant>();
  const open = [start];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const next of edges(one)) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return seen;
}

/** Those that provide something that `from` still needs. */
function helpersOf(from: Participant, members: readonly Participant[], survey: Survey): readonly Participant[] {
  const open = unmetWith(from, [from], survey).flatMap(({ dependency }) =>
    dependency.type === 'constraint' ? [dependency.constraint] : [],
  );
  return members.filter(
    ({ properties, name }) => name !== from.name && open.some((constraint) => meetsAlone(constraint, properties)),
  );
}

/** `subject` and those that need it as it needs them, directly or through others. */
function cycleOf(subject: Participant, members: readonly Participant[], survey: Survey): readonly Participant[] {
  const edges = new Map(members.map((from) => [from, helpersOf(from, members, survey)]));
  const next = (from: Participant): readonly Participant[] => edges.get(from) ?? [];
  const back = [...reachable(subject, next)].filter((one) => reachable(one, next).has(subject));
  return [subject, ...back.filter((one) => one !== subject)];
}

/** What keeps `subject` from being installed now. Nothing does when all it needs is active, or is to be installed and needs, in turn,
 *  nothing else than it: such a cycle goes together. */
export function unmetOf(subject: Participant, survey: Survey): readonly Unmet[] {
  const unmet = unmetWith(subject, [subject], survey);
  if (unmet.length === 0 || survey.pending.length === 0) return unmet;
  const members = selfSupporting([subject, ...survey.pending], survey);
  if (!members.includes(subject)) return unmet;
  const cycle = cycleOf(subject, members, survey);
  const isWhole = cycle.every((one) => unmetWith(one, cycle, survey).length === 0);
  return isWhole ? [] : unmet;
}

/** Names of those of `active` whose dependencies are met now and no longer when `change` has happened: the bundle of that deployment
 *  gone, or another in its place. */
export function usersOf(
  change: { readonly name: string; readonly next: readonly Property[] | undefined },
  { active, servesApi }: Pick<Survey, 'active' | 'servesApi'>,
): readonly string[] {
  const { name, next } = change;
  const before = active.filter((one) => one.name === name);
  const others = active.filter((one) => one.name !== name);
  const after = next === undefined ? others : [...others, { name, properties: next, dependencies: [] }];
  const isServedAfter: ServesApi = (api) => servesApi(api) && (!bringsApi(before, api) || bringsApi(after, api));
  const now = surroundings(active, servesApi);
  const then = surroundings(after, isServedAfter);
  return others.flatMap(({ name: user, dependencies }) => {
    const met = dependencies.filter((one) => unmetDependencies([one], now).length === 0);
    return unmetDependencies(met, then).length > 0 ? [user] : [];
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
