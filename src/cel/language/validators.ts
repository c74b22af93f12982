import { parseGoDuration } from '../../base/index.ts';
import { patternProblem } from '../../schema/index.ts';
import { type FormatPiece, readFormat, wrongType } from '../library/formatting.ts';
import { parseTime } from '../library/times.ts';
import { Failure, type Value } from '../values/value.ts';
import { type CelType, formatType, insideOptional, isSameType } from './cel-type.ts';
import { type CallNode, childrenOf, type Expression, type ListNode, type MapNode } from './expression.ts';
import type { Issue } from './source-text.ts';

type Literal = (value: Value) => boolean;

const literalChecks: Readonly<Record<string, Literal>> = {
  duration: (value) => typeof value !== 'string' || parseGoDuration(value) !== undefined,
  timestamp: (value) => typeof value !== 'string' || parseTime(value) !== undefined,
  matches: (value) => typeof value !== 'string' || patternProblem(value) === undefined,
};

function literalIssues(node: CallNode): Issue[] {
  const check = Object.hasOwn(literalChecks, node.name) ? literalChecks[node.name] : undefined;
  const [arg] = node.args;
  if (check === undefined || arg?.kind !== 'literal' || check(arg.value)) return [];
  return [{ offset: arg.offset, message: `invalid ${node.name} argument` }];
}

function mismatch(node: Expression, expected: CelType): Issue {
  const found = node.type === undefined ? '' : formatType(node.type);
  return { offset: node.offset, message: `expected type '${formatType(expected)}' but found '${found}'` };
}

function elementType(node: Expression, isOptional: boolean): CelType | undefined {
  return isOptional && node.type !== undefined ? (insideOptional(node.type) ?? node.type) : node.type;
}

function differs(node: Expression, isOptional: boolean, expected: CelType | undefined): expected is CelType {
  const type = elementType(node, isOptional);
  return expected !== undefined && type !== undefined && !isSameType(type, expected);
}

function listIssues(node: ListNode): Issue[] {
  const [first] = node.elements;
  if (first === undefined) return [];
  const expected = elementType(first, node.optionals.has(0));
  const bad = node.elements.findIndex((element, index) => differs(element, node.optionals.has(index), expected));
  const element = node.elements[bad];
  return element === undefined || expected === undefined ? [] : [mismatch(element, expected)];
}

function mapIssues(node: MapNode): Issue[] {
  const [first] = node.entries;
  if (first === undefined) return [];
  const [keys, values] = [first.key.type, elementType(first.value, first.isOptional)];
  return node.entries.flatMap(({ key, value, isOptional }) => [
    ...(differs(key, false, keys) ? [mismatch(key, keys)] : []),
    ...(differs(value, isOptional, values) ? [mismatch(value, values)] : []),
  ]);
}

const clauseTypes: Readonly<Record<string, readonly [string, string, readonly string[]]>> = {
  d: ['decimal', 'integers', ['int', 'uint']],
  f: ['fixed-point', 'doubles', ['double', 'string']],
  e: ['scientific', 'doubles', ['double', 'string']],
  b: ['binary', 'integers and bools', ['int', 'uint', 'bool']],
  x: ['hex', 'integers, byte buffers, and strings', ['int', 'uint', 'bytes', 'string']],
  X: ['hex', 'integers, byte buffers, and strings', ['int', 'uint', 'bytes', 'string']],
  o: ['octal', 'integers', ['int', 'uint']],
  s: [
    'string',
    'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    ['string', 'bool', 'bytes', 'int', 'uint', 'double', 'map', 'list', 'type', 'duration', 'timestamp', 'null'],
  ],
};

function clauseProblem(letter: string, type: CelType | undefined): Failure | undefined {
  const rule = clauseTypes[letter];
  if (rule === undefined || type === undefined || type.kind === 'dyn' || rule[2].includes(type.kind)) return undefined;
  return wrongType(rule[0], rule[1], type.name);
}

interface WrittenFormat {
  readonly node: CallNode;
  readonly text: string;
  readonly list: ListNode;
}

/** What is wrong with one clause of a format and the argument for it. */
function pieceIssue(
  piece: Exclude<FormatPiece, string> | Failure,
  { node, list }: WrittenFormat,
  used: number,
): Issue | undefined {
  const arg = list.elements[used];
  if (arg === undefined) return { offset: node.offset, message: `index ${used} out of range` };
  if (piece instanceof Failure) {
    const isCut = piece.message === 'unexpected end of string';
    return { offset: isCut ? node.offset : arg.offset, message: piece.message };
  }
  const problem = clauseProblem(piece.letter, arg.type);
  return problem && { offset: arg.offset, message: `error during formatting: ${problem.message}` };
}

/** The text of a format that is written out, and the list for it if that is too. */
function writtenFormat(node: CallNode): WrittenFormat | undefined {
  const [list] = node.args;
  const text = node.target?.kind === 'literal' ? node.target.value : undefined;
  return node.name === 'format' && typeof text === 'string' && list?.kind === 'list' ? { node, text, list } : undefined;
}

function formatIssues(node: CallNode): Issue[] {
  const written = writtenFormat(node);
  if (written === undefined) return [];
  const clauses = readFormat(written.text).filter((piece) => typeof piece !== 'string');
  for (const [used, piece] of clauses.entries()) {
    const issue = pieceIssue(piece, written, used);
    if (issue !== undefined) return [issue];
  }
  const [used, given] = [clauses.length, written.list.elements.length];
  if (given <= used) return [];
  const message = `too many arguments supplied to string.format (expected ${used}, got ${given})`;
  return [{ offset: node.offset, message }];
}

function nodeIssues(node: Expression, isInFormat: boolean): Issue[] {
  if (node.kind === 'call') return [...literalIssues(node), ...formatIssues(node)];
  if (isInFormat) return [];
  if (node.kind === 'list') return listIssues(node);
  return node.kind === 'map' ? mapIssues(node) : [];
}

/** Problems of a tree with valid types: literals without a value, lists of several types, formats that do not fit. */
export function validateTree(root: Expression, isInFormat = false): Issue[] {
  const isInside = isInFormat || (root.kind === 'call' && root.name === 'format');
  return [...nodeIssues(root, isInFormat), ...childrenOf(root).flatMap((child) => validateTree(child, isInside))];
}
