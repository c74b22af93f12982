import { isJsonObject, type JsonValue } from './json.ts';
import { trimEnd } from './trim-end.ts';
import { formatYaml } from './yaml.ts';

/** What is written in one go, in characters of JSON, roughly. */
const pieceLength = 64 * 1024;

/** Longer keys are written in another form. */
const maxKeyLength = 512;

/** Whether the value is written in about `room` characters or fewer; looks no further than that. */
function isShort(value: JsonValue, room: number): boolean {
  const pending: unknown[] = [value];
  let left = room;
  while (pending.length > 0 && left >= 0) {
    const next = pending.pop();
    left -= 4;
    if (typeof next === 'string') left -= next.length;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, child] of Object.entries(next)) {
      left -= key.length;
      if (left < 0) return false;
      pending.push(child);
    }
  }
  return left >= 0;
}

function indented(text: string, indent: number): string {
  return indent === 0 ? text : text.replace(/^(?=.)/gm, ' '.repeat(indent));
}

/** A text of many lines that is written as it stands. */
function isPlainBlock(value: JsonValue): value is string {
  return (
    typeof value === 'string' &&
    /[^\n]/.test(value) &&
    value.includes('\n') &&
    /^[\n\x20-\x7E\u00A1-\uD7FF]*$/.test(value)
  );
}

/** The lines of a long text in block form. */
function* blockPieces(key: string, text: string, indent: number): Generator<string> {
  // What introduces the block depends on how the text begins and ends.
  const beginning = /^\n*[^\n]{0,80}/.exec(text)?.[0] ?? '';
  const end = text.slice(Math.max(0, trimEnd(text, '\n').length - 1));
  const [header = ''] = formatYaml({ [key]: `${beginning}\nx${end}` }).split('\n', 1);
  yield indented(`${header}\n`, indent);
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', Math.min(start + pieceLength, text.length));
    const next = found < 0 ? text.length : found + 1;
    const lines = text.slice(start, next);
    yield indented(lines.endsWith('\n') ? lines : `${lines}\n`, indent + 2);
    start = next;
  }
}

function* memberPieces(key: string, member: JsonValue, { indent, room }: Form): Generator<string> {
  const isWhole = key.length > maxKeyLength || key.includes('\n') || isShort(member, room);
  if (!isWhole && isPlainBlock(member)) yield* blockPieces(key, member, indent);
  else if (isWhole || typeof member !== 'object' || member === null || Object.keys(member).length === 0) {
    yield indented(formatYaml({ [key]: member }), indent);
  } else {
    yield indented(formatYaml({ [key]: null }).replace(/ null\n$/, '\n'), indent);
    yield* pieces(member, { indent: indent + 2, room });
  }
}

function* itemPieces(item: JsonValue, { indent, room }: Form): Generator<string> {
  if (typeof item === 'string' || isShort(item, room)) {
    yield indented(formatYaml([item]), indent);
    return;
  }
  let isFirst = true;
  for (const piece of pieces(item, { indent: indent + 2, room })) {
    yield isFirst ? `${piece.slice(0, indent)}- ${piece.slice(indent + 2)}` : piece;
    isFirst = false;
  }
}

interface Form {
  readonly indent: number;
  readonly room: number;
}

function* pieces(value: JsonValue, form: Form): Generator<string> {
  if (isShort(value, form.room)) yield indented(formatYaml(value), form.indent);
  else if (Array.isArray(value) && value.length > 0) for (const item of value) yield* itemPieces(item, form);
  else if (isJsonObject(value) && Object.keys(value).length > 0) {
    for (const [key, member = null] of Object.entries(value)) yield* memberPieces(key, member, form);
  } else yield indented(formatYaml(value), form.indent);
}

/** The text of `formatYaml` in pieces, so that a large value is never written out as a whole.
 *  @param room characters, roughly, that are written in one go */
export function formatYamlPieces(value: JsonValue, room: number = pieceLength): Iterable<string> {
  return pieces(value, { indent: 0, room });
}
