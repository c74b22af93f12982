import type { JSX } from 'preact';
import { setQuery, usePlace } from '../../lib/router.ts';
import { texts } from '../../texts.ts';
import { healthWord } from '../../ui/parts.tsx';
import type { TreeNode } from './tree-node.ts';

/** Which nodes of a tree are shown; an empty text is no condition. */
export interface TreeFilter {
  readonly kind: string;
  /** A status word, or `unhealthy`. */
  readonly health: string;
  readonly namespace: string;
}

/** Whether there is a condition. */
export function isFiltering({ kind, health, namespace }: TreeFilter): boolean {
  return `${kind}${health}${namespace}` !== '';
}

function isMatch({ kind, state, namespace = '' }: TreeNode, filter: TreeFilter): boolean {
  const word = healthWord(state);
  return (
    (filter.kind === '' || filter.kind === kind) &&
    (filter.namespace === '' || filter.namespace === namespace) &&
    (filter.health === '' || (filter.health === 'unhealthy' ? word !== 'Healthy' : filter.health === word))
  );
}

/** Whether a node is shown: it matches, or something below it does. */
export function isShown(node: TreeNode, filter: TreeFilter): boolean {
  return isMatch(node, filter) || node.children.some((child) => isShown(child, filter));
}

/** The filter of the address. */
export function useTreeFilter(): TreeFilter {
  const { query } = usePlace();
  return { kind: query.get('kind') ?? '', health: query.get('health') ?? '', namespace: query.get('ns') ?? '' };
}

function allNodes(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.children.flatMap(allNodes)];
}

function Select(props: {
  readonly label: string;
  readonly name: string;
  readonly current: string;
  readonly values: readonly (readonly [value: string, title: string])[];
}): JSX.Element {
  const { label, name, current, values } = props;
  return (
    <select aria-label={label} value={current} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
      <option value="">{label}</option>
      {values.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** What of the tree is shown, by what is in it. */
export function TreeFilters({ root }: { readonly root: TreeNode }): JSX.Element {
  const filter = useTreeFilter();
  const nodes = allNodes(root);
  const distinct = (read: (node: TreeNode) => string): readonly (readonly [string, string])[] =>
    [...new Set(nodes.map(read))]
      .filter((text) => text !== '')
      .toSorted()
      .map((text) => [text, text]);
  const words = distinct(({ state }) => healthWord(state));
  return (
    <span class="row wrap">
      <Select
        label={texts.installation.allKinds}
        name="kind"
        current={filter.kind}
        values={distinct(({ kind }) => kind)}
      />
      <Select
        label={texts.installation.anyHealth}
        name="health"
        current={filter.health}
        values={[['unhealthy', texts.installation.unhealthyOnly], ...words]}
      />
      <Select
        label={texts.installation.allNamespaces}
        name="ns"
        current={filter.namespace}
        values={distinct(({ namespace = '' }) => namespace)}
      />
    </span>
  );
}
