import { nextUpdates } from '../graph/updates.ts';
import type { Steps } from '../sat/steps.ts';
import type { Anchor } from './anchor.ts';
import type { Candidate } from './candidate.ts';
import { Clashes } from './clash.ts';
import { whyNotNewer } from './newer.ts';
import type { Problem } from './problem.ts';
import type { PresentBundle, ResolutionRequest } from './request.ts';
import type { ChosenBundle } from './resolution.ts';
import type { Decision } from './search.ts';
import { describeRequest, labelOf, type Story } from './sentences.ts';

/** What a plan is made of. */
export interface Decided {
  readonly request: ResolutionRequest;
  readonly problem: Problem;
  readonly decisions: readonly Decision[];
  readonly story: Story;
  readonly steps: Steps;
}

/** Those whom a chosen bundle needs, by what it needs. */
function suppliersOf({ problem, decisions }: Decided): ReadonlyMap<Candidate, readonly Candidate[]> {
  const chosen = new Set(decisions.map((decision) => decision.chosen));
  const entries = [...chosen].map((candidate): [Candidate, readonly Candidate[]] => {
    const needs = problem.needs.get(candidate) ?? [];
    return [candidate, needs.flatMap(({ met }) => met.filter((other) => chosen.has(other)))];
  });
  return new Map(entries);
}

/** Suppliers before their dependents; cycles are cut where they are entered. */
function inOrder(
  start: readonly Candidate[],
  suppliers: ReadonlyMap<Candidate, readonly Candidate[]>,
): readonly Candidate[] {
  const order = new Set<Candidate>();
  const open = new Set<Candidate>();
  const stack = start.toReversed();
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const waiting = open.has(top) ? [] : (suppliers.get(top) ?? []).filter((one) => !order.has(one) && !open.has(one));
    open.add(top);
    for (const one of waiting.toReversed()) stack.push(one);
    if (waiting.length === 0) {
      order.add(top);
      stack.pop();
    }
  }
  return [...order];
}

function updateOf(chosen: Candidate, { request, problem, story }: Decided): ChosenBundle['updates'] {
  const { origin } = chosen;
  const anchor = problem.anchors.find(
    ({ candidates, present }) => present !== undefined && candidates.includes(chosen),
  );
  if (origin === undefined || anchor === undefined) return undefined;
  const from = request.installed.find(({ name }) => name === anchor.requested.installed);
  if (from === undefined) return undefined;
  return { from, edge: edgeFrom(from, origin, story) };
}

function edgeFrom(
  from: PresentBundle,
  { catalog, channel, bundle }: NonNullable<Candidate['origin']>,
  { shelf }: Story,
) {
  const offers = shelf.channels(catalog, bundle.packageName).filter((one) => one.channel === channel);
  const updates = offers.flatMap(({ offer }) => (typeof offer === 'string' ? [] : nextUpdates(offer, from)));
  return updates.find((update) => update.bundle === bundle)?.edge;
}

/** For each bundle that was chosen, the sentences of those that need it. */
function needsOfEach({ problem, decisions }: Decided): ReadonlyMap<Candidate, readonly string[]> {
  const sentences = new Map(decisions.map(({ chosen }): [Candidate, string[]] => [chosen, []]));
  for (const { chosen: by } of decisions) {
    for (const { requirement, met } of problem.needs.get(by) ?? []) {
      for (const one of met) sentences.get(one)?.push(`${labelOf(by)} needs ${requirement.description}.`);
    }
  }
  return sentences;
}

interface Known {
  readonly fixed: ReadonlySet<Candidate>;
  readonly needs: ReturnType<typeof needsOfEach>;
}

/** All requests and bundles that need the bundle, in any order. */
function reasonsFor(chosen: Candidate, { problem, story }: Decided, known: Known): readonly string[] {
  const isRequest = ({ candidates, requested: { updates = 'always' }, present }: Anchor): boolean =>
    candidates.includes(chosen) && (updates === 'always' || chosen === present);
  const requests = problem.anchors.filter(isRequest).map((anchor) => `${describeRequest(anchor, story.words)}.`);
  const fixed = known.fixed.has(chosen) ? [`It is installed, and no ${story.words.requested} is about it.`] : [];
  return [...new Set([...requests, ...(known.needs.get(chosen) ?? []), ...fixed])];
}

/** Puts what was decided into the order of installation, with the reasons of each.
 *  @throws TransientError ResolutionCancelled */
export function planOf(decided: Decided): readonly ChosenBundle[] {
  const { problem, decisions, story, steps } = decided;
  const clashes = new Clashes(problem, steps);
  const order = inOrder(
    decisions.map(({ chosen }) => chosen),
    suppliersOf(decided),
  );
  const known = { fixed: new Set(problem.fixed), needs: needsOfEach(decided) };
  const indexes = new Map(decisions.map(({ chosen }, index) => [chosen, index]));
  return order.flatMap((candidate): readonly ChosenBundle[] => {
    const index = indexes.get(candidate) ?? -1;
    const decision = decisions[index];
    if (decision === undefined) return [];
    const wanting = problem.anchors.filter(({ candidates }) => candidates.includes(candidate));
    const newer = whyNotNewer({ decision, before: decisions.slice(0, index), clashes, story });
    return [
      {
        candidate,
        origin: candidate.origin,
        updates: updateOf(candidate, decided),
        requestedBy: wanting.map(({ requested }) => requested.name),
        reasons: reasonsFor(candidate, decided, known),
        newer,
        passedOver: decision.refused.length === 0 ? undefined : newer[0],
      },
    ];
  });
}
