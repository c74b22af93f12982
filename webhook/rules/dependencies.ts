import { ignoreDependenciesAnnotation } from '../../src/api/index.ts';
import { type Participant, type Survey, type Unmet, unmetOf, usersOf } from '../../src/dependencies/index.ts';
import type { FactsReader } from '../facts.ts';
import { type AdmissionResult, allowed, denyAdded } from './rule.ts';

/** How strictly dependencies are taken. */
export interface DependencyTerms {
  readonly isEnforced: boolean;
  /** The deployment asks to be let through. */
  readonly isIgnored: boolean;
}

function enforce(text: string, { isEnforced, isIgnored }: DependencyTerms): AdmissionResult {
  if (isIgnored) {
    return { denials: [], warnings: [`${text} (allowed by the annotation ${ignoreDependenciesAnnotation})`] };
  }
  return isEnforced ? denyAdded(text) : { denials: [], warnings: [text] };
}

function describeUnmet({ text, dependency }: Unmet, offersFor: FactsReader['offersFor']): string {
  const offers = offersFor(dependency);
  return offers.length === 0 ? text : `${text} (${offers.join('; ')})`;
}

/** What a deployment is to install has all that it needs. */
export function dependenciesMet(
  subject: Participant,
  survey: Survey & Pick<FactsReader, 'offersFor'>,
  terms: DependencyTerms,
): AdmissionResult {
  const unmet = unmetOf(subject, survey);
  if (unmet.length === 0) return allowed;
  return enforce(
    `dependencies are not met: ${unmet.map((one) => describeUnmet(one, survey.offersFor)).join('; ')}`,
    terms,
  );
}

/** A requirement of other active deployments is removed neither with its deployment nor by a replacement bundle. */
export function notRequired(
  change: Parameters<typeof usersOf>[0],
  survey: Survey,
  terms: DependencyTerms,
): AdmissionResult {
  const users = usersOf(change, survey);
  if (users.length === 0) return allowed;
  return enforce(`bundledeployment "${change.name}" is required by ${users.toSorted().join(', ')}`, terms);
}
