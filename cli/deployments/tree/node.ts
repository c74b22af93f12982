import { styleText } from 'node:util';
import type { Health } from '../../../src/apply/index.ts';
import { printableLine } from '../../../src/base/index.ts';
import { groupOf, type KubeObject } from '../../../src/kube/index.ts';

/** One object of a tree. */
export interface TreeNode {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly state: Health['state'];
  /** Empty for what is as it should be. */
  readonly message: string;
  /** Stays when its deployment goes. */
  readonly isKept: boolean;
  /** For a Bundle: it is the one that is installed. */
  readonly isActive?: boolean;
  /** For a BundleDeployment, and its active Bundle: what is installed. */
  readonly version?: string;
  readonly children: readonly TreeNode[];
}

/** A node without children. */
export function nodeOf(object: KubeObject, health: Health, isKept = false): TreeNode {
  const { apiVersion, kind, metadata } = object;
  const { name = '', namespace } = metadata;
  const place = namespace === undefined ? {} : { namespace };
  return { apiVersion, kind, ...place, name, ...health, isKept, children: [] };
}

const colours = {
  Current: 'green',
  InProgress: 'yellow',
  Terminating: 'yellow',
  Failed: 'red',
  Unavailable: 'red',
} as const;

/** `Deployment.apps combo/web`. Names of roles may have any character. */
function titleOf({ apiVersion, kind, namespace, name }: TreeNode): string {
  const group = groupOf(apiVersion);
  const place = namespace === undefined ? '' : `${namespace}/`;
  return printableLine(`${kind}${group === '' ? '' : `.${group}`} ${place}${name}`);
}

interface Row {
  readonly left: string;
  readonly node: TreeNode;
}

function rowsOf(node: TreeNode, lead: string, indent: string): readonly Row[] {
  const below = node.children.flatMap((child, index) => {
    const isLast = index === node.children.length - 1;
    return rowsOf(child, `${indent}${isLast ? '└── ' : '├── '}`, `${indent}${isLast ? '    ' : '│   '}`);
  });
  return [{ left: `${lead}${titleOf(node)}`, node }, ...below];
}

/** A text of a server as one line, without control characters that would change the terminal. */
function oneLine(text: string): string {
  return text.replace(/[^\P{C}]+/gu, ' ').trim();
}

function rightOf({ state, message, isKept, isActive, version = '' }: TreeNode, stream: NodeJS.WriteStream): string {
  const shown = styleText(colours[state], state, { stream });
  const notes = [isActive === true ? 'active' : '', oneLine(version), isKept ? 'kept' : ''].filter(
    (note) => note !== '',
  );
  return `${shown}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}${message === '' ? '' : `: ${oneLine(message)}`}`;
}

/** The tree as lines; coloured where `stream` is a terminal that wants it. */
export function formatTree(root: TreeNode, stream: NodeJS.WriteStream): string {
  const rows = rowsOf(root, '', '');
  const width = Math.max(...rows.map(({ left }) => left.length)) + 2;
  return rows.map(({ left, node }) => `${left.padEnd(width)}${rightOf(node, stream)}\n`).join('');
}
