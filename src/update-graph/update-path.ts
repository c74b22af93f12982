import type { UpdateTarget } from './updates-by-target.ts';

/** An update of a path. */
export interface PathHop {
  readonly from: string;
  readonly to: string;
  /** Names of known risks, which may not apply to a cluster. */
  readonly risks: readonly string[];
}

/** How a version is reached from another one, or why it is not. */
export interface UpdatePath {
  readonly hops: readonly PathHop[];
  /** Undefined where there is a path. */
  readonly reason: string | undefined;
}

/** A hop with known risks is taken when any other way has one more: it counts more than all hops without. */
const riskyWeight = 100_000;
const maxNamed = 10;

function hopsTo({ version, from, risky }: UpdateTarget): readonly PathHop[] {
  return [
    ...from.map((source) => ({ from: source, to: version, risks: [] })),
    ...risky.map(({ from: source, risks }) => ({ from: source, to: version, risks })),
  ];
}

function weightOf({ risks }: PathHop): number {
  return risks.length === 0 ? 1 : riskyWeight;
}

function listed(versions: readonly string[]): string {
  const more = versions.length - maxNamed;
  return `${versions.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function noPath(target: UpdateTarget, from: string): string {
  const sources = hopsTo(target).map((hop) => hop.from);
  if (sources.length === 0) return `no update leads to ${target.version}`;
  return `${target.version} is reached from ${listed(sources)}, and none of these from ${from}`;
}

/** Searches backwards: `targets` lists the newest first, and updates lead to newer versions alone. */
function bestHops(targets: readonly UpdateTarget[], to: string): ReadonlyMap<string, PathHop> {
  const weights = new Map([[to, 0]]);
  const next = new Map<string, PathHop>();
  for (const target of targets) {
    const reached = weights.get(target.version);
    if (reached === undefined) continue;
    for (const hop of hopsTo(target)) {
      const weight = reached + weightOf(hop);
      if (weight >= (weights.get(hop.from) ?? Number.POSITIVE_INFINITY)) continue;
      weights.set(hop.from, weight);
      next.set(hop.from, hop);
    }
  }
  return next;
}

/** The shortest way between two versions, with as few updates with known risks as possible.
 *  @param targets as `updatesByTarget` gives them, the newest first */
export function updatePath(
  targets: readonly UpdateTarget[],
  { from, to }: { readonly from: string; readonly to: string },
): UpdatePath {
  const versions = targets.map(({ version }) => version);
  const target = targets.find(({ version }) => version === to);
  const missing = [from, to].find((version) => !versions.includes(version));
  if (target === undefined || missing !== undefined)
    return { hops: [], reason: `the channel does not have ${missing}` };
  if (from === to) return { hops: [], reason: undefined };
  if (versions.indexOf(from) < versions.indexOf(to)) return { hops: [], reason: `${to} is older than ${from}` };
  const next = bestHops(targets, to);
  const hops: PathHop[] = [];
  for (let at = next.get(from); at !== undefined; at = next.get(at.to)) hops.push(at);
  return { hops, reason: hops.length === 0 ? noPath(target, from) : undefined };
}
