/** An object below an installation, as `longshore tree` prints it. */
export interface TreeNode {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly isKept: boolean;
  readonly isActive?: boolean;
  readonly version?: string;
  readonly children: readonly TreeNode[];
}

/** Identifies an object within a tree. */
export function nodeKey({ apiVersion, kind, namespace = '', name }: TreeNode): string {
  return `${apiVersion} ${kind} ${namespace} ${name}`;
}

/** Whether it, or anything below it, is not as it should be. */
export function isTroubled(node: TreeNode): boolean {
  return node.state !== 'Current' || node.children.some(isTroubled);
}
