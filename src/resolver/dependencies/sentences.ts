import { compareVersions, formatVersion } from '../../constraints/index.ts';
import type { CatalogBundle } from '../package.ts';
import type { Anchor } from './anchor.ts';
import { describeCatalogs } from './anchor.ts';
import { type Candidate, formatCatalogName } from './candidate.ts';
import { nearMisses } from './near-misses.ts';
import type { RequestedPackage, RequestWords } from './request.ts';
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

/** `a 1.0.0, 1.1.0 or 1.2.0 and b 2.0.0`: versions by package, in the order of the candidates. */
function labelsOf(candidates: readonly Candidate[], word: string): string {
  const versions = new Map<string, string[]>();
  for (const { name, facts } of candidates) {
    const { packageName = name } = facts;
    const known = versions.get(packageName) ?? [];
    versions.set(packageName, [...known, formatVersion(facts.version)]);
  }
  const packages = [...versions].map(([packageName, texts]) => `${packageName} ${listOf(texts, word)}`);
  return listOf(packages, word);
}

/** Which bundles of a package are requested, behind its name. */
function detailsOf({ channel = '', versions, startingBundle = '', installed }: RequestedPackage): string {
  const range = versions === undefined ? '' : ` in range ${versions.text}`;
  const from = channel === '' ? '' : ` from channel ${channel}`;
  const start = startingBundle === '' || installed !== undefined ? '' : `, to begin with ${startingBundle}`;
  return `${range}${from}${start}`;
}

/** Who wants a package, and which. */
export function describeRequest({ requested, present }: Anchor, words: RequestWords): string {
  const { name, packageName, updates = 'always' } = requested;
  if (words.isAnonymous !== true)
    return `${words.requested} ${name} asks for package ${packageName}${detailsOf(requested)}`;
  if (updates !== 'always' && present !== undefined) return `${labelOf(present)} is installed`;
  return `package ${packageName} is asked for${detailsOf(requested)}`;
}

function explainChoice(anchor: Anchor, { shelf, words }: Story): string {
  const request = describeRequest(anchor, words);
  const { missing, candidates, requested, present } = anchor;
  if (missing !== undefined) return ended(`${request}: ${nearMisses(shelf).ofAnchor(anchor)}`);
  const stay =
    present !== undefined && candidates.includes(present) && !request.endsWith('is installed')
      ? `, where ${labelOf(present)} is installed`
      : '';
  const staysOnly = candidates.length === 1 && candidates[0] === present;
  if (staysOnly) return `${request}${stay}, and there is no candidate for an update.`;
  const labels = labelsOf(candidates, 'and');
  if (candidates.length === 1) return `${request}${stay}: the only candidate is ${labels}.`;
  return `${request}${stay}: ${labels} are the candidates (${describeCatalogs(requested, shelf)}).`;
}

function ended(sentence: string): string {
  return sentence.endsWith('?') ? sentence : `${sentence}.`;
}

type Needing = Rule & { readonly kind: 'requires' };

/** Rules by which several bundles need the same. */
function explainNeeds([first, ...others]: readonly [Needing, ...Needing[]], { shelf }: Story): string {
  const { requirement, met } = first;
  const newestFirst = [first, ...others]
    .map(({ by }) => by)
    .toSorted((a, b) => compareVersions(b.facts.version, a.facts.version));
  const need = `${labelsOf(newestFirst, 'and')} ${others.length === 0 ? 'needs' : 'need'} ${requirement.description}`;
  if (met.length > 0) return `${need}: only ${labelsOf(met, 'or')} would do.`;
  const catalogs = shelf.catalogs.map(formatCatalogName);
  const near = nearMisses(shelf).ofRequirement(requirement);
  const where = catalogs.length === 1 ? `catalog ${catalogs.join('')}` : `the catalogs (${catalogs.join(', ')})`;
  return ended(`${need}, and nothing in ${where} is that${near === '' ? '' : `: ${near}`}`);
}

function explainRefused({ candidate, why }: Rule & { readonly kind: 'refused' }): string {
  return why === undefined
    ? `${labelOf(candidate)} is deprecated (olm.deprecated), so that it is never chosen.`
    : `${labelOf(candidate)} (bundle ${candidate.name}) cannot be chosen, because what it requires cannot be read: ${why}.`;
}

/** A rule in a sentence; '' where another rule of the same conflict covers it. */
function explainRule(rule: Exclude<Rule, Needing>, story: Story): string {
  switch (rule.kind) {
    case 'requested':
      return '';
    case 'choice':
      return explainChoice(rule.anchor, story);
    case 'installed':
      return `${labelOf(rule.candidate)} (${rule.candidate.name}) is installed, and no ${story.words.requested} requests it: it stays as it is.`;
    case 'api': {
      const { group, kind, version } = rule.api;
      return `Only one operator may provide ${kind} (${group}/${version}): ${labelsOf(rule.groups.flat(), 'and')} do.`;
    }
    case 'package':
      return rule.candidates.length > maxListed
        ? `Only one bundle of package ${rule.packageName} may be installed.`
        : `Only one bundle of a package may be installed: ${labelsOf(rule.candidates, 'or')}.`;
    case 'refused':
      return explainRefused(rule);
    case 'replaces':
      return `${labelOf(rule.update)} replaces ${labelOf(rule.present)}: they cannot be installed together.`;
    default:
      return rule satisfies never;
  }
}

/** Requests before what follows from them, and what excludes them last. */
const order: readonly Rule['kind'][] = [
  'requested',
  'choice',
  'installed',
  'requires',
  'refused',
  'package',
  'api',
  'replaces',
];

/** Explains a conflict of rules in sentences that follow from one another. */
export function explainRules(rules: readonly Rule[], story: Story): readonly string[] {
  const sentences: string[] = [];
  const needs = new Map<string, [Needing, ...Needing[]]>();
  for (const rule of rules) {
    if (rule.kind !== 'requires') continue;
    const key = `${rule.requirement.text} ${rule.met.map(({ id }) => id).join(' ')}`;
    const same = needs.get(key);
    if (same === undefined) needs.set(key, [rule]);
    else same.push(rule);
  }
  for (const kind of order) {
    if (kind === 'requires') for (const same of needs.values()) sentences.push(explainNeeds(same, story));
    for (const rule of rules)
      if (rule.kind === kind && rule.kind !== 'requires') sentences.push(explainRule(rule, story));
  }
  return sentences.filter((sentence) => sentence !== '');
}
