import type { GroupVersionKind } from '../../constraints/index.ts';
import type { Anchor } from './anchor.ts';
import type { Candidate } from './candidate.ts';
import type { RequestWords } from './request.ts';
import type { Requirement } from './requirement.ts';

/** One thing that must hold of what is chosen. */
export type Rule =
  | { readonly kind: 'requested'; readonly anchor: Anchor }
  | { readonly kind: 'choice'; readonly anchor: Anchor }
  | {
      readonly kind: 'requires';
      readonly by: Candidate;
      readonly requirement: Requirement;
      readonly met: readonly Candidate[];
    }
  | { readonly kind: 'installed'; readonly candidate: Candidate }
  /** A group is of one package, or of one bundle whose package is not known: of a group, more than one may not be chosen anyway. */
  | { readonly kind: 'api'; readonly api: GroupVersionKind; readonly groups: readonly (readonly Candidate[])[] }
  | { readonly kind: 'package'; readonly packageName: string; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'refused'; readonly candidate: Candidate; readonly why: string | undefined }
  | { readonly kind: 'replaces'; readonly update: Candidate; readonly present: Candidate };

function listed(texts: readonly string[], word: string): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;
}

function choiceText({ requested, candidates, missing }: Anchor, words: RequestWords): string {
  if (missing !== undefined) return missing.text;
  const ids = candidates.map(({ id }) => id);
  const what = ids.length === 1 ? listed(ids, 'or') : `at least one of ${listed(ids, 'or')}`;
  return `${words.requested} ${requested.name} requires ${what}`;
}

function idsOf(candidates: readonly Candidate[]): string {
  const ids = candidates.map(({ id }) => id).toSorted();
  return listed(ids, 'and');
}

/** The rule as messages for machines have it.
 *  @see docs/spec/catalogs.md#messages */
export function formatRule(rule: Rule, words: RequestWords): string {
  switch (rule.kind) {
    case 'requested':
      return `${words.requested} ${rule.anchor.requested.name} exists`;
    case 'choice':
      return choiceText(rule.anchor, words);
    case 'requires':
      return `bundle ${rule.by.name} requires an operator ${rule.requirement.text}`;
    case 'installed':
      return `${words.installed} ${rule.candidate.name} exists and is not referenced by a ${words.requested}`;
    case 'api': {
      const { group, version, kind } = rule.api;
      return `${idsOf(rule.groups.flat())} provide ${kind} (${group}/${version})`;
    }
    case 'package':
      return `${idsOf(rule.candidates)} originate from package ${rule.packageName}`;
    case 'refused':
      return rule.why === undefined
        ? `bundle ${rule.candidate.id} is deprecated`
        : `bundle ${rule.candidate.id} cannot be chosen: ${rule.why}`;
    case 'replaces':
      return `${rule.update.id} conflicts with ${rule.present.id}`;
    default:
      return rule satisfies never;
  }
}
