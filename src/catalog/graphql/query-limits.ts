import type { DocumentNode, FragmentDefinitionNode, SelectionSetNode } from 'graphql';

const maxDepth = 10;
const maxAliases = 50;
const maxFields = 500;

interface Counts {
  fields: number;
  aliases: number;
  problem: string | undefined;
}

/** Why a query is more than is answered; undefined when it is not. Fragments count wherever they are used; the query must be a valid one, whose
 *  fragments do not use themselves. */
export function limitProblem(document: DocumentNode): string | undefined {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) if (node.kind === 'FragmentDefinition') fragments.set(node.name.value, node);
  const counts: Counts = { fields: 0, aliases: 0, problem: undefined };
  const count = ({ selections }: SelectionSetNode, depth: number): void => {
    if (depth > maxDepth) counts.problem = `query exceeds maximum depth of ${maxDepth}`;
    for (const selection of selections) {
      if (counts.problem !== undefined) return;
      if (selection.kind === 'InlineFragment') count(selection.selectionSet, depth);
      else if (selection.kind === 'FragmentSpread') {
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) count(fragment.selectionSet, depth);
      } else {
        counts.fields += 1;
        if (selection.alias !== undefined) counts.aliases += 1;
        if (counts.aliases > maxAliases) counts.problem = `query exceeds maximum of ${maxAliases} aliases`;
        else if (counts.fields > maxFields) counts.problem = `query exceeds maximum of ${maxFields} fields`;
        else if (selection.selectionSet !== undefined) count(selection.selectionSet, depth + 1);
      }
    }
  };
  for (const node of document.definitions) if (node.kind === 'OperationDefinition') count(node.selectionSet, 1);
  return counts.problem;
}
