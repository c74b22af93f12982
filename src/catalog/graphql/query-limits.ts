import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  FragmentSpreadNode,
  InlineFragmentNode,
  SelectionSetNode,
} from 'graphql';

const maxDepth = 10;
const maxAliases = 50;
const maxFields = 500;
/** Those without fields count, too: each may use others twice. */
const maxFragmentUses = 500;

/** Counts what a query asks for, and gives up at the first limit. */
class Counter {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  #fields = 0;
  #aliases = 0;
  #fragmentUses = 0;
  problem: string | undefined;

  constructor({ definitions }: DocumentNode) {
    for (const node of definitions) {
      if (node.kind === 'FragmentDefinition') this.#fragments.set(node.name.value, node);
    }
    for (const node of definitions) if (node.kind === 'OperationDefinition') this.#count(node.selectionSet, 1);
  }

  #count({ selections }: SelectionSetNode, depth: number): void {
    if (depth > maxDepth) this.problem ??= `query exceeds maximum depth of ${maxDepth}`;
    for (const selection of selections) {
      if (this.problem !== undefined) return;
      if (selection.kind === 'Field') this.#countField(selection, depth);
      else this.#countFragment(selection, depth);
    }
  }

  #countFragment(selection: FragmentSpreadNode | InlineFragmentNode, depth: number): void {
    const fragment = selection.kind === 'InlineFragment' ? selection : this.#fragments.get(selection.name.value);
    this.#fragmentUses += 1;
    if (this.#fragmentUses > maxFragmentUses) this.problem = `query exceeds maximum of ${maxFragmentUses} fragments`;
    else if (fragment !== undefined) this.#count(fragment.selectionSet, depth);
  }

  #countField({ alias, selectionSet }: FieldNode, depth: number): void {
    this.#fields += 1;
    if (alias !== undefined) this.#aliases += 1;
    if (this.#aliases > maxAliases) this.problem = `query exceeds maximum of ${maxAliases} aliases`;
    else if (this.#fields > maxFields) this.problem = `query exceeds maximum of ${maxFields} fields`;
    else if (selectionSet !== undefined) this.#count(selectionSet, depth + 1);
  }
}

/** Selections as they are written, fragments where they are defined. */
function writtenSelections({ definitions }: DocumentNode): number {
  const open: SelectionSetNode[] = definitions.flatMap((node) => ('selectionSet' in node ? [node.selectionSet] : []));
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += next.selections.length;
    for (const selection of next.selections) {
      if ('selectionSet' in selection && selection.selectionSet !== undefined) open.push(selection.selectionSet);
    }
  }
  return count;
}

/** Why a query is not even validated, which takes time with the square of its fields; undefined when it is. */
export function lengthProblem(document: DocumentNode): string | undefined {
  const most = maxFields + maxFragmentUses;
  return writtenSelections(document) > most ? `query exceeds maximum of ${most} fields and fragments` : undefined;
}

/** Why a query is more than is answered; undefined when it is not. Fragments count wherever they are used, whatever is wrong with them. */
export function limitProblem(document: DocumentNode): string | undefined {
  return new Counter(document).problem;
}
