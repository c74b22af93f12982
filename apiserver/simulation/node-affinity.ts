import { isJsonObject, type JsonObject, objectAt, objectsAt, textAt } from '../../src/base/index.ts';
import { matchesNodeExpressions } from '../core/index.ts';

/** What pods select Nodes by. */
export interface SelectableNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

const unschedulable = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** A term without requirements selects no Node. */
function matchesTerm(term: JsonObject, { name, labels }: SelectableNode): boolean {
  const [expressions, fields] = [objectsAt(term, 'matchExpressions'), objectsAt(term, 'matchFields')];
  if (expressions.length + fields.length === 0) return false;
  // The only field is `metadata.name`; validation lets no other one in.
  return matchesNodeExpressions(expressions, labels) && matchesNodeExpressions(fields, { 'metadata.name': name });
}

/** Whether a pod may be scheduled to the Node: by its `nodeSelector` and by one of the terms of its required node affinity.
 *  @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/ */
export function selectsNode(podSpec: JsonObject, node: SelectableNode): boolean {
  const { nodeSelector } = podSpec;
  const pairs = isJsonObject(nodeSelector) ? Object.entries(nodeSelector) : [];
  if (!pairs.every(([key, value]) => Object.hasOwn(node.labels, key) && node.labels[key] === value)) return false;
  const required = objectAt(podSpec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  if (required === undefined) return true;
  return objectsAt(required, 'nodeSelectorTerms').some((term) => matchesTerm(term, node));
}

/** Whether a pod may be scheduled to a cordoned Node. */
export function toleratesCordon(podSpec: JsonObject): boolean {
  return objectsAt(podSpec, 'tolerations').some((toleration) => {
    const [key, effect] = [textAt(toleration, 'key'), textAt(toleration, 'effect')];
    const isOfEffect = effect === '' || effect === unschedulable.effect;
    const isExists = textAt(toleration, 'operator') === 'Exists';
    const isOfKey = key === '' ? isExists : key === unschedulable.key;
    // The taint has no value.
    return isOfEffect && isOfKey && (isExists || textAt(toleration, 'value') === '');
  });
}
