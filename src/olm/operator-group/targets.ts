import type { OperatorGroup, OperatorGroupReason } from '../../api/index.ts';
import {
  errorMessage,
  isJsonObject,
  isSelected,
  type JsonObject,
  type LabelSelector,
  TerminalError,
} from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';

/** The Namespaces of the cluster. */
export interface Namespaces {
  values(): readonly KubeObject[];
  labelled(label: string, value: string): readonly KubeObject[];
}

/** What the spec of a group selects: names in their order, `['']` for all namespaces; none where it is not valid, and why. */
export interface Targets {
  readonly namespaces: readonly string[];
  readonly problem?: { readonly reason: OperatorGroupReason; readonly message: string };
}

function isEmptySelector(selector: JsonObject): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector as LabelSelector;
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** The selector that decides about the targets; undefined for a group that lists its targets, or targets all namespaces. */
export function selectorOf({ spec = {} }: OperatorGroup): LabelSelector | undefined {
  const { selector, targetNamespaces = [] } = spec;
  if (targetNamespaces.length > 0 || !isJsonObject(selector) || isEmptySelector(selector)) return undefined;
  return selector as LabelSelector;
}

/** Whether the labels of a Namespace are selected; never by a selector that is not valid. */
export function isTarget(selector: LabelSelector, { metadata }: KubeObject): boolean {
  try {
    return isSelected(selector, metadata.labels ?? {});
  } catch (thrown) {
    if (thrown instanceof TerminalError) return false;
    throw thrown;
  }
}

function selected(selector: LabelSelector, namespaces: Namespaces): Targets {
  const [label] = Object.entries(selector.matchLabels ?? {});
  const candidates = label === undefined ? namespaces.values() : namespaces.labelled(...label);
  try {
    // Without a Namespace the selector is checked all the same.
    isSelected(selector, {});
    const found = candidates.filter(({ metadata }) => isSelected(selector, metadata.labels ?? {}));
    return { namespaces: found.map(({ metadata }) => metadata.name ?? '').toSorted() };
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    const message = `spec.selector is not valid, so that no namespace is selected: ${errorMessage(thrown)}`;
    return { namespaces: [], problem: { reason: 'InvalidSelector', message } };
  }
}

/** Resolves the target namespaces of a group.
 *  @see docs/spec/olm-v0.md#operatorgroup-reconcile-targets-annotations */
export function resolveTargets(group: OperatorGroup, namespaces: Namespaces): Targets {
  const { targetNamespaces = [] } = group.spec ?? {};
  if (targetNamespaces.includes('')) {
    const shown = targetNamespaces.map((name) => `"${name}"`).join(' ');
    const message = `TargetNamespaces cannot contain NamespaceAll: [${shown}]; for all namespaces, remove spec.targetNamespaces and spec.selector`;
    return { namespaces: [], problem: { reason: 'InvalidTargetNamespaces', message } };
  }
  if (targetNamespaces.length > 0) return { namespaces: [...new Set(targetNamespaces)].toSorted() };
  const selector = selectorOf(group);
  return selector === undefined ? { namespaces: [''] } : selected(selector, namespaces);
}
