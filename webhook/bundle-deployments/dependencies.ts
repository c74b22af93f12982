import { ignoreDependenciesAnnotation } from '../../src/api/index.ts';
import { type Participant, type Survey, type Unmet, unmetOf, usersOf } from '../../src/dependencies/index.ts';
import type { FactsReader } from '../review/facts.ts';
import { type AdmissionResult, allowed, denyInvalid, warn } from '../review/result.ts';

/** The other deployments, and how strictly dependencies are evaluated. */
export interface DependencyFacts {
  readonly survey: Survey;
  /** Findings deny the request; otherwise they are warnings. */
  readonly isEnforced: boolean;
  /** The deployment has the annotation that turns denials into warnings. */
  readonly isIgnored: boolean;
  readonly offersFor: FactsReader['offersFor'];
}

/** The deployment `name` is deleted, or a bundle with the properties `next` replaces its own. */
export type RequiredChange = Parameters<typeof usersOf>[0];

function enforce(text: string, { isEnforced, isIgnored }: DependencyFacts): AdmissionResult {
  if (isIgnored) return warn([`${text} (allowed by the annotation ${ignoreDependenciesAnnotation})`]);
  return isEnforced ? denyInvalid(text) : warn([text]);
}

/** Of more, offers are not looked for. */
const maxDescribed = 3;

function describeUnmet({ text, dependency }: Unmet, offersFor: FactsReader['offersFor']): string {
  const offers = offersFor(dependency);
  return offers.length === 0 ? text : `${text} (${offers.join('; ')})`;
}

/** The dependencies of the bundle that a deployment is to install are met by the others. */
export function dependencies(subject: Participant, facts: DependencyFacts): AdmissionResult {
  const { survey, offersFor } = facts;
  const active = survey.active.filter(({ name }) => name !== subject.name);
  const unmet = unmetOf(subject, { ...survey, active });
  if (unmet.length === 0) return allowed;
  const described = unmet.slice(0, maxDescribed).map((one) => describeUnmet(one, offersFor));
  const others = unmet.slice(maxDescribed).map(({ text }) => text);
  const text = `dependencies are not met: ${[...described, ...others].join('; ')}`;
  return enforce(text, facts);
}

/** A requirement of other active deployments is removed neither with its deployment nor by a replacement bundle. */
export function required(change: RequiredChange, facts: DependencyFacts): AdmissionResult {
  const users = usersOf(change, facts.survey);
  if (users.length === 0) return allowed;
  return enforce(`bundledeployment "${change.name}" is required by ${users.toSorted().join(', ')}`, facts);
}
