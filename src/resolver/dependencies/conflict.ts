import type { Steps } from '../sat/steps.ts';
import type { Anchor } from './anchor.ts';
import { compareTexts } from './candidate.ts';
import { Clashes } from './clash.ts';
import { isDowngrade } from './near-misses.ts';
import { type Problem, withoutAnchor } from './problem.ts';
import type { Conflict } from './resolution.ts';
import { formatRule, type Rule } from './rule.ts';
import { search } from './search.ts';
import { explainRules, labelOf, listOf, type Story } from './sentences.ts';

function anchorsOf(rules: readonly Rule[]): readonly Anchor[] {
  return rules.flatMap((rule) => (rule.kind === 'requested' ? [rule.anchor] : []));
}

function namesOf(anchors: readonly Anchor[]): string {
  return listOf(
    anchors.map(({ requested }) => requested.packageName),
    'and',
  );
}

function summarize(rules: readonly Rule[]): string {
  const anchors = anchorsOf(rules);
  if (anchors.length === 0) return 'What is installed does not go together.';
  if (anchors.length === 1) return `Package ${namesOf(anchors)} cannot be resolved.`;
  return `Packages ${namesOf(anchors)} cannot be resolved together.`;
}

/** A request without which all others can be resolved. */
function blocker(problem: Problem, rules: readonly Rule[], steps: Steps): Anchor | undefined {
  const anchors = anchorsOf(rules);
  if (anchors.length < 2) return undefined;
  return anchors.toReversed().find((anchor) => search(withoutAnchor(problem, anchor), steps) !== undefined);
}

function downgradeAction({ requested: { packageName, versions } }: Anchor): string {
  return `Ask for a newer version. There is no update to an older one: remove ${packageName} and install ${versions?.text ?? ''} where it may begin from scratch.`;
}

function installedAction({ by, requirement }: Extract<Rule, { readonly kind: 'requires' }>): string {
  const what = `what ${labelOf(by)} needs (${requirement.description})`;
  return `Add a catalog that has ${what}, or remove it; where it works without, ask with installed constraints BestEffort.`;
}

function unmetAction(rule: Extract<Rule, { readonly kind: 'requires' }>, rules: readonly Rule[]): string {
  if (rule.by.origin === undefined) return installedAction(rule);
  const isNarrow = anchorsOf(rules).some(
    ({ requested }) => requested.versions !== undefined || requested.channel !== undefined,
  );
  return `Add a catalog that has what is needed (${rule.requirement.description})${isNarrow ? ', or ask for other versions' : ''}.`;
}

function missingAction(rules: readonly Rule[], { shelf, words: { isAnonymous = false } }: Story): string | undefined {
  for (const rule of rules) {
    if (rule.kind === 'choice' && isDowngrade(rule.anchor, shelf)) return downgradeAction(rule.anchor);
    if (rule.kind === 'choice' && rule.anchor.missing !== undefined) {
      const what = isAnonymous ? 'the name or the range' : `what ${rule.anchor.requested.name} asks for`;
      return `Correct ${what}, or add a catalog that has it.`;
    }
    if (rule.kind === 'requires' && rule.met.length === 0) return unmetAction(rule, rules);
  }
  return undefined;
}

function blockerAction({ requested: { name } }: Anchor, { words: { requested, isAnonymous = false } }: Story): string {
  const what = isAnonymous
    ? `Leave ${name} out, or ask for another version of it`
    : `Remove ${requested} ${name}, or change what it asks for`;
  return `${what}: the others can be resolved without it.`;
}

function adviseOn(problem: Problem, rules: readonly Rule[], { steps, story }: Advice): string {
  const missing = missingAction(rules, story);
  if (missing !== undefined) return missing;
  const one = blocker(problem, rules, steps);
  if (one !== undefined) return blockerAction(one, story);
  const installed = rules.flatMap((rule) => (rule.kind === 'installed' ? [labelOf(rule.candidate)] : []));
  if (installed.length > 0) return `Remove ${listOf(installed, 'or')}, or do not ask for what clashes with it.`;
  const refused = rules.flatMap((rule) => (rule.kind === 'refused' ? [labelOf(rule.candidate)] : []));
  if (refused.length > 0) return `Ask for another version than ${listOf(refused, 'or')}, or use a newer catalog.`;
  return 'Ask for other versions, or for fewer packages at once.';
}

interface Advice {
  readonly steps: Steps;
  readonly story: Story;
}

/** Explains why a problem has no solution.
 *  @throws TransientError ResolutionCancelled
 *  @see docs/spec/catalogs.md#messages */
export function explainConflict(problem: Problem, advice: Advice): Conflict {
  const rules = new Clashes(problem, advice.steps).smallest();
  const texts = rules.map((rule) => formatRule(rule, advice.story.words)).toSorted(compareTexts);
  return {
    outcome: 'conflict',
    reason: 'ConstraintsNotSatisfiable',
    message: `constraints not satisfiable: ${texts.join(', ')}`,
    summary: summarize(rules),
    sentences: explainRules(rules, advice.story),
    action: adviseOn(problem, rules, advice),
    rules,
    requestedBy: anchorsOf(rules).map(({ requested }) => requested.name),
    notices: [],
  };
}
