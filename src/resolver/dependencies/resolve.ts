import { errorMessage, firstRepeated, goQuote, TerminalError } from '../../base/index.ts';
import { Steps } from '../sat/steps.ts';
import { type Anchor, findAnchor } from './anchor.ts';
import { compareTexts, formatCatalogName } from './candidate.ts';
import { explainConflict } from './conflict.ts';
import { planOf } from './plan.ts';
import { type Problem, stateProblem } from './problem.ts';
import { type RequestedPackage, type ResolutionRequest, wordsOf } from './request.ts';
import type { Conflict, Resolution } from './resolution.ts';
import { search } from './search.ts';
import { labelOf } from './sentences.ts';
import { Shelf } from './shelf.ts';

/** Requests that may change something first, then by name. */
function inOrder(requested: readonly RequestedPackage[]): readonly RequestedPackage[] {
  const rank = ({ updates = 'always' }: RequestedPackage): number => Number(updates !== 'always');
  return requested.toSorted((a, b) => rank(a) - rank(b) || compareTexts(a.name, b.name));
}

function assertUnique(kind: string, names: readonly string[]): void {
  const twice = firstRepeated(names);
  if (twice === undefined) return;
  throw new TerminalError('DuplicateIdentifier', `duplicate identifier ${goQuote(`${kind}${twice}`)} in input`);
}

function check({
  requested,
  installed,
  catalogs,
  words,
}: ResolutionRequest & { readonly words: { readonly requested: string } }): void {
  assertUnique(
    `${words.requested}:`,
    requested.map(({ name }) => name),
  );
  assertUnique(
    '@existing//',
    installed.map(({ name }) => name),
  );
  assertUnique('', catalogs.map(formatCatalogName));
}

function failure(message: string, summary: string, action: string): Conflict {
  const reason = 'ErrorPreventedResolution';
  return {
    outcome: 'conflict',
    reason,
    message,
    summary,
    sentences: [message],
    action,
    rules: [],
    requestedBy: [],
    notices: [],
  };
}

function unavailability({ unavailable = [] }: ResolutionRequest): Conflict | undefined {
  const [first] = unavailable;
  if (first === undefined) return undefined;
  const name = formatCatalogName(first);
  const message = `error using catalogsource ${name}: ${first.why}`;
  return failure(message, `Catalog ${name} cannot be used.`, `Repair or remove catalog ${name}.`);
}

function noticesOf({ candidates }: Problem, shelf: Shelf): readonly string[] {
  const unreadable = candidates.flatMap(({ id, facts, origin }) =>
    facts.problem === undefined || origin === undefined ? [] : [`bundle ${id} is passed over: ${facts.problem}`],
  );
  return [...unreadable, ...shelf.faults];
}

type Found = { readonly anchors: readonly Anchor[] } | { readonly failure: Conflict };

function findAnchors(request: ResolutionRequest, shelf: Shelf): Found {
  const anchors: Anchor[] = [];
  for (const requested of inOrder(request.requested)) {
    try {
      anchors.push(findAnchor(requested, request, shelf));
    } catch (thrown) {
      if (!(thrown instanceof TerminalError)) throw thrown;
      const summary = `Package ${requested.packageName} cannot be resolved: its channel has no order.`;
      const action = `Use another channel, or repair the catalog.`;
      return { failure: { ...failure(errorMessage(thrown), summary, action), requestedBy: [requested.name] } };
    }
  }
  return { anchors };
}

function deprecationsOf({ bundles }: Pick<Resolution, 'bundles'>, shelf: Shelf): readonly string[] {
  return bundles.flatMap(({ origin, candidate }) => {
    if (origin === undefined) return [];
    const found = shelf.package(origin.catalog, origin.bundle.packageName);
    const channel = found?.channels.find(({ name }) => name === origin.channel);
    const reported: readonly (readonly [string, string | undefined])[] = [
      [`package ${origin.bundle.packageName}`, found?.deprecation],
      [`channel ${origin.channel}, which ${labelOf(candidate)} is from,`, channel?.deprecation],
      [labelOf(candidate), origin.bundle.deprecation],
    ];
    return reported.flatMap(([what, why]) => (why === undefined ? [] : [`${what} is deprecated: ${why}`]));
  });
}

/** Chooses bundles for all that is requested, and for what these need: all of it, or nothing. What is installed changes only if something requests
 *  its package. The same request gives the same answer, in whatever order its lists are. It may take a second and more, and blocks
 *  its thread: callers that serve others meanwhile run it in a worker thread.
 *  @throws TransientError ResolutionCancelled: cancelled, or too many steps · TerminalError DuplicateIdentifier
 *  @see docs/spec/catalogs.md#dependency-resolution */
export function resolve(request: ResolutionRequest): Resolution | Conflict {
  const words = wordsOf(request);
  check({ ...request, words });
  const unavailable = unavailability(request);
  if (unavailable !== undefined) return unavailable;
  const steps = request.steps ?? new Steps(request.limits);
  const shelf = new Shelf(request, steps);
  const found = findAnchors(request, shelf);
  if ('failure' in found) return { ...found.failure, notices: shelf.faults };
  const story = { shelf, words };
  const problem = stateProblem(found.anchors, {
    shelf,
    installedConstraints: request.installedConstraints ?? 'Required',
  });
  const decisions = search(problem, steps);
  const notices = noticesOf(problem, shelf);
  if (decisions === undefined) return { ...explainConflict(problem, { steps, story }), notices };
  const bundles = planOf({ request, problem, decisions, story, steps });
  return { outcome: 'resolved', bundles, notices: [...notices, ...new Set(deprecationsOf({ bundles }, shelf))] };
}
