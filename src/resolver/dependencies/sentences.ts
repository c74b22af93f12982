import { formatVersion } from '../../constraints/index.ts';
import type { CatalogBundle } from '../package.ts';
import type { Anchor } from './anchor.ts';
import { describeCatalogs } from './anchor.ts';
import { type Candidate, formatCatalogName } from './candidate.ts';
import { nearMisses } from './near-misses.ts';
import type { RequestWords } from './request.ts';
import type { Rule } from './rule.ts';
import type { Shelf } from './shelf.ts';

/** What sentences are about. */
export interface Story {
  readonly shelf: Shelf;
  readonly words: RequestWords;
}

/** More names than these are counted, not listed. */
const maxListed = 5;

/** `a 1.0.0`, or the bundle's name where its package is not known. */
export function labelOf({ name, facts: { packageName, version } }: Candidate): string {
  return packageName === undefined ? name : `${packageName} ${formatVersion(version)}`;
}

/** The same of a bundle of a catalog. */
export function bundleLabel({ packageName, version }: CatalogBundle): string {
  return `${packageName} ${formatVersion(version)}`;
}

/** `a, b or c`; some of them where there are many. */
export function listOf(texts: readonly string[], word: string): string {
  const unique = [...new Set(texts)];
  if (unique.length > maxListed) {
    return `${unique.slice(0, maxListed).join(', ')} ${word} ${unique.length - maxListed} more`;
  }
  return unique.length < 2 ? unique.join('') : `${unique.slice(0, -1).join(', ')} ${word} ${unique.at(-1)}`;
}

/** Who wants a package, and which. */
export function wishOf({ wanted }: Anchor, words: RequestWords): string {
  const { name, packageName, channel = '', versions, startingBundle = '' } = wanted;
  const details = [
    versions === undefined ? '' : ` in range ${versions.text}`,
    channel === '' ? '' : ` from channel ${channel}`,
    startingBundle === '' || wanted.installed !== undefined ? '' : `, to begin with ${startingBundle}`,
  ];
  return `${words.wanted} ${name} asks for package ${packageName}${details.join('')}`;
}

function tellChoice(anchor: Anchor, { shelf, words }: Story): string {
  const wish = wishOf(anchor, words);
  const { missing, candidates, wanted, present } = anchor;
  if (missing !== undefined) return `${wish}: ${nearMisses(shelf).ofAnchor(anchor)}.`;
  const labels = candidates.map(labelOf);
  const stay = present !== undefined && candidates.includes(present) ? `, where ${labelOf(present)} is installed` : '';
  if (candidates.length === 1) return `${wish}${stay}: only ${listOf(labels, 'and')} comes into question.`;
  return `${wish}${stay}: ${listOf(labels, 'and')} come into question (${describeCatalogs(wanted, shelf)}).`;
}

function tellNeed(rule: Rule & { readonly kind: 'requires' }, { shelf }: Story): string {
  const { by, requirement, met } = rule;
  const need = `${labelOf(by)} needs ${requirement.description}`;
  if (met.length > 0) return `${need}: only ${listOf(met.map(labelOf), 'or')} would do.`;
  const catalogs = shelf.catalogs.map(formatCatalogName).join(', ');
  const near = nearMisses(shelf).ofRequirement(requirement);
  return `${need}, and nothing in ${catalogs === '' ? 'any catalog' : `the catalogs (${catalogs})`} is that${near === '' ? '' : `: ${near}`}.`;
}

function tellRefused({ candidate, why }: Rule & { readonly kind: 'refused' }): string {
  return why === undefined
    ? `${labelOf(candidate)} is deprecated (olm.deprecated), so that it is never chosen.`
    : `${labelOf(candidate)} (bundle ${candidate.name}) cannot be chosen, because what it requires cannot be read: ${why}.`;
}

/** A rule in a sentence; '' where another rule of the same clash says it already. */
export function tellRule(rule: Rule, story: Story): string {
  switch (rule.kind) {
    case 'wanted':
      return '';
    case 'choice':
      return tellChoice(rule.anchor, story);
    case 'requires':
      return tellNeed(rule, story);
    case 'installed':
      return `${labelOf(rule.candidate)} (${rule.candidate.name}) is installed, and no ${story.words.wanted} is about it, so that it stays as it is.`;
    case 'api': {
      const providers = rule.groups.flat().map(labelOf);
      return `Only one operator may provide ${rule.api.kind} (${rule.api.group}/${rule.api.version}): ${listOf(providers, 'and')} do.`;
    }
    case 'package':
      return `Only one bundle of package ${rule.packageName} may be installed (${listOf(rule.candidates.map(labelOf), 'or')}).`;
    case 'refused':
      return tellRefused(rule);
    case 'replaces':
      return `${labelOf(rule.update)} takes the place of ${labelOf(rule.present)}: not both can be there.`;
    default:
      return rule satisfies never;
  }
}
