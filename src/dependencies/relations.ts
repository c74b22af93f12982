import { type Dependency, describeConstraint, unmetDependencies } from '../constraints/index.ts';
import { meetsAlone, type Participant, type Survey, surroundings, usersOf } from './standing.ts';

/** Something that a bundle needs, and who provides it. */
export interface MetNeed {
  /** In words: `package harbour >=1.0.0`. */
  readonly text: string;
  readonly isMet: boolean;
  /** Names of those that provide it; empty where the cluster serves it by itself, or no one does. */
  readonly metBy: readonly string[];
}

/** What a bundle needs, and which others need it. */
export interface Relations {
  readonly name: string;
  readonly needs: readonly MetNeed[];
  /** Names of those that need something that no one else provides: they break when it is removed. */
  readonly requiredBy: readonly string[];
}

function isReported(dependency: Dependency): dependency is Extract<Dependency, { type: 'constraint' }> {
  return dependency.type === 'constraint';
}

function needsOf(
  { name, dependencies }: Participant,
  all: readonly Participant[],
  around: ReturnType<typeof surroundings>,
): readonly MetNeed[] {
  const needs = dependencies.filter(isReported).map((dependency): MetNeed => {
    const { constraint } = dependency;
    const isMet = unmetDependencies([dependency], around).length === 0;
    const able = all.filter((one) => one.name !== name && meetsAlone(constraint, one.properties));
    const text = constraint.failureMessage ?? describeConstraint(constraint);
    return { text, isMet, metBy: able.map((one) => one.name) };
  });
  // A ClusterServiceVersion lists an API as a property and as a required definition.
  return [...new Map(needs.map((need) => [need.text, need])).values()];
}

/** The relations of all that is installed. `pending` need something, and provide nothing yet. */
export function relationsOf({ active, pending, servesApi }: Survey): readonly Relations[] {
  const around = surroundings(active, servesApi);
  const needs = new Map([...active, ...pending].map((one) => [one.name, needsOf(one, active, around)]));
  const candidates = new Map<string, Set<string>>();
  for (const { name } of active) {
    for (const provider of (needs.get(name) ?? []).flatMap(({ metBy }) => metBy)) {
      candidates.set(provider, (candidates.get(provider) ?? new Set()).add(name));
    }
  }
  return [...active, ...pending].map(({ name }): Relations => {
    const users = candidates.get(name) ?? new Set();
    // Only those that it provides something for can break.
    const others = active.map((one) => (users.has(one.name) ? one : { ...one, dependencies: [] }));
    const requiredBy = users.size === 0 ? [] : usersOf({ name, next: undefined }, { active: others, servesApi });
    return { name, needs: needs.get(name) ?? [], requiredBy };
  });
}
