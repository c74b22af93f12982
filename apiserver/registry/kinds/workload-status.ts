import { type JsonObject, objectAt } from '../../../src/base/index.ts';
import { type FieldError, invalidField } from '../../../src/schema/index.ts';
import { asJson, type KubeObject, numberAt } from '../../core/index.ts';
import { notNegative } from './checks.ts';

/** Rules for the numbers in the status of a workload. */
export interface StatusCounts {
  /** None below zero, in the order in which they are looked at. */
  readonly counts: readonly string[];
  /** None of them above `replicas`. */
  readonly parts: readonly string[];
  /** How `readyReplicas` is called where `availableReplicas` is above it; left out: the kind has neither. */
  readonly readyWord?: string;
  /** How often names of children clashed: it never falls. */
  readonly countsCollisions: boolean;
}

function partErrors(status: JsonObject | undefined, { parts, readyWord }: StatusCounts): FieldError[] {
  const value = (key: string): number => numberAt(status, key) ?? 0;
  const above = parts
    .filter((key) => value(key) > value('replicas'))
    .map((key) => invalidField(`status.${key}`, value(key), 'cannot be greater than status.replicas'));
  if (readyWord === undefined || value('availableReplicas') <= value('readyReplicas')) return above;
  const text = `cannot be greater than ${readyWord}`;
  return [...above, invalidField('status.availableReplicas', value('availableReplicas'), text)];
}

/** The rule of a kind's `/status`. */
export function statusRule(rules: StatusCounts): (object: KubeObject, old: KubeObject) => FieldError[] {
  return (object, old) => {
    const [status, before] = [objectAt(asJson(object), 'status'), objectAt(asJson(old), 'status')];
    const collisions = numberAt(status, 'collisionCount') ?? 0;
    const hasFallen = rules.countsCollisions && collisions < (numberAt(before, 'collisionCount') ?? 0);
    return [
      ...notNegative(status, 'status', rules.counts),
      ...partErrors(status, rules),
      ...(hasFallen ? [invalidField('status.collisionCount', collisions, 'cannot be decremented')] : []),
    ];
  };
}
