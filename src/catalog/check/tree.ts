import { goQuote } from '../../base/index.ts';
import type { CatalogFinding } from './finding.ts';

interface Node {
  readonly title: string;
  readonly children: Map<string, Node> | undefined;
}

/** Names from the root to what a finding is about, each as a node of the tree. */
function pathOf({ package: packageName, channel, bundle }: CatalogFinding): readonly string[] {
  const levels = [
    ['package', packageName],
    ['channel', channel],
    ['bundle', bundle],
  ] as const;
  return levels.flatMap(([word, name]) => (name === undefined ? [] : [`invalid ${word} ${goQuote(name)}`]));
}

function draw(node: Node, indent: string): string {
  const children = [...(node.children?.values() ?? [])];
  return children
    .map((child, index) => {
      const isLast = index === children.length - 1;
      const title = `${indent}${isLast ? '└── ' : '├── '}${child.title}${child.children === undefined ? '' : ':'}`;
      return `\n${title}${draw(child, `${indent}${isLast ? '    ' : '│   '}`)}`;
    })
    .join('');
}

/** Findings of stage two as the reference shows them; '' when there are none.
 *  @see docs/spec/catalogs.md#model-validation */
export function findingTree(findings: readonly CatalogFinding[]): string {
  const root: Node = { title: 'invalid index', children: new Map() };
  for (const [index, found] of findings.entries()) {
    let children = root.children;
    for (const title of pathOf(found)) {
      const node = children?.get(title) ?? { title, children: new Map() };
      children?.set(title, node);
      children = node.children;
    }
    children?.set(`${index} `, { title: found.message, children: undefined });
  }
  return root.children?.size === 0 ? '' : `${root.title}:${draw(root, '')}`;
}
