import { TerminalError } from '../../base/index.ts';
import { ByteWindow } from './byte-window.ts';
import { JsonScan } from './json-scan.ts';

const [newline, carriageReturn, space, tab, hash, brace, dash, dot] = [10, 13, 32, 9, 35, 123, 45, 46];
const mebibyte = 1024 * 1024;

/** The reference has no limit; without one a catalog could take all memory. The largest documents known have 3 MiB. */
const maxDocumentBytes = 64 * mebibyte;

/** A document, cut out of a stream. */
export interface CutDocument {
  /** Valid until more bytes are pushed. */
  readonly bytes: Buffer;
  /** From 1. */
  readonly line: number;
  /** Of the first byte, in the stream, from 0. */
  readonly offset: number;
  readonly syntax: 'json' | 'yaml';
  /** Begins like JSON, but is none. */
  readonly isFallback: boolean;
  /** Follows a JSON value without a separator. */
  readonly isAfterJson: boolean;
  /** The stream is JSON: at least two values, one after the other, begin it. Nothing else may follow them. */
  readonly isJsonStream: boolean;
  /** Of JSON. */
  readonly hasLongNumber: boolean;
  /** How deep the brackets of JSON nest. */
  readonly depth: number;
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab || byte === carriageReturn || byte === newline;
}

/** `---`, whatever follows, or `...` alone or with a blank behind it. */
function isSeparator(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  if ((byte !== dash && byte !== dot) || bytes[at + 1] !== byte || bytes[at + 2] !== byte) return false;
  return byte === dash || at + 3 >= bytes.length || isBlank(bytes[at + 3]);
}

/** Values after which a stream is one of JSON. */
const minJsonValues = 2;

/** Cuts a stream of YAML documents and JSON objects without reading them: objects by their brackets, YAML by its separators. Both may be mixed,
 *  but for a stream that begins with JSON objects, one after the other. Empty documents are skipped.
 *  @see docs/spec/catalogs.md#walking-a-catalog-root */
export class DocumentCutter {
  readonly #window = new ByteWindow();
  /** What is before this is done with. */
  #start = 0;
  /** The line on which the document begins. */
  #lineStart = 0;
  /** How far it was looked at. */
  #at = 0;
  #mode: 'seek' | 'json' | 'yaml' = 'seek';
  #scan = new JsonScan(0);
  #isFallback = false;
  #isAfterJson = false;
  /** JSON objects at the start of the stream; undefined once something else was found. */
  #jsonValues: number | undefined = 0;
  /** The document that was given last. */
  #last: { readonly end: number; readonly syntax: 'json' | 'yaml' } | undefined;
  #contentStart = 0;

  /** More of the stream; only when `next` has nothing. */
  push(chunk: Uint8Array): void {
    const gone = this.#start;
    this.#window.append(chunk, gone);
    this.#start = 0;
    this.#lineStart -= gone;
    this.#at -= gone;
    this.#contentStart -= gone;
    this.#scan.shift(gone);
  }

  /** The next document, undefined when more bytes are needed or, with `isEnd`, when there is none.
   *  @throws TerminalError DocumentTooLarge */
  next(isEnd: boolean): CutDocument | undefined {
    this.#passLast();
    const { bytes } = this.#window;
    if (this.#mode === 'seek' && !this.#seek(bytes, isEnd)) return undefined;
    const found = this.#mode === 'json' ? this.#cutObject(bytes, isEnd) : undefined;
    const cut = found ?? (this.#isYaml() ? this.#cutYaml(bytes, isEnd) : undefined);
    if (cut === undefined && bytes.length - this.#start > maxDocumentBytes) {
      throw new TerminalError('DocumentTooLarge', `document larger than ${maxDocumentBytes / mebibyte} MiB`);
    }
    return cut;
  }

  /** The line of the document that is being looked at. */
  get line(): number {
    return this.#window.lineOf(this.#contentStart);
  }

  /** The document that was given last is no JSON: the next one is the same again, cut as YAML. */
  retryAsYaml(): void {
    if (this.#last === undefined) return;
    this.#last = undefined;
    this.#beginFallback();
  }

  #isYaml(): boolean {
    return this.#mode === 'yaml';
  }

  #passLast(): void {
    if (this.#last === undefined) return;
    const { end, syntax } = this.#last;
    this.#last = undefined;
    this.#isAfterJson = syntax === 'json';
    if (syntax === 'json' && this.#jsonValues !== undefined) this.#jsonValues += 1;
    [this.#start, this.#at, this.#lineStart, this.#mode] = [end, end, end, 'seek'];
  }

  #beginFallback(): void {
    [this.#mode, this.#isFallback, this.#at] = ['yaml', true, this.#contentStart];
    this.#leaveJson();
  }

  get #isJsonStream(): boolean {
    return (this.#jsonValues ?? 0) >= minJsonValues;
  }

  /** The stream is not one of JSON, unless that is certain by now. */
  #leaveJson(): void {
    if (!this.#isJsonStream) this.#jsonValues = undefined;
  }

  /** Looks for the first byte of a document. */
  #seek(bytes: Buffer, isEnd: boolean): boolean {
    if (!this.#passMark(bytes, isEnd)) return false;
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at];
      if (isBlank(byte)) this.#passBlank(byte);
      else {
        const found = this.#isJsonStream ? 'document' : this.#passFiller(bytes, isEnd);
        if (found === 'document') return this.#begin(byte);
        if (found === 'more') return this.#keep();
      }
    }
    return this.#keep();
  }

  /** Skips a comment or a separator; else reports that a document begins, or that more bytes are needed to see it. */
  #passFiller(bytes: Buffer, isEnd: boolean): 'filler' | 'document' | 'more' {
    if (bytes[this.#at] === hash) return this.#passComment(bytes, isEnd) ? 'filler' : 'more';
    if (this.#at + 3 >= bytes.length && !isEnd) return 'more';
    if (this.#at !== this.#lineStart || !isSeparator(bytes, this.#at)) return 'document';
    const isAlone = this.#isSeparatorAlone(bytes, isEnd);
    if (isAlone === undefined) return 'more';
    if (!isAlone) return 'document';
    this.#passSeparator();
    return 'filler';
  }

  #passBlank(byte: number | undefined): void {
    this.#at += 1;
    if (byte === newline) this.#lineStart = this.#at;
  }

  #passSeparator(): void {
    this.#at += 3;
    this.#isAfterJson = false;
    this.#leaveJson();
  }

  /** Whether only blanks and a comment follow the separator on its line; undefined when more bytes are needed to see it. */
  #isSeparatorAlone(bytes: Buffer, isEnd: boolean): boolean | undefined {
    let at = this.#at + 3;
    while (at < bytes.length && bytes[at] !== newline && isBlank(bytes[at])) at += 1;
    if (at >= bytes.length && !isEnd) return undefined;
    return at >= bytes.length || bytes[at] === newline || bytes[at] === hash;
  }

  /** Nothing found yet. */
  #keep(): false {
    this.#start = Math.min(this.#lineStart, this.#at);
    return false;
  }

  /** The mark of the encoding, at the start of the stream; false when more bytes are needed to see it. */
  #passMark(bytes: Buffer, isEnd: boolean): boolean {
    if (this.#window.offsetOf(this.#at) !== 0) return true;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
      this.#at = this.#lineStart = 3;
      this.#leaveJson();
    }
    return bytes.length >= 3 || isEnd;
  }

  #passComment(bytes: Buffer, isEnd: boolean): boolean {
    const end = bytes.indexOf(newline, this.#at);
    if (end < 0 && !isEnd) return false;
    this.#at = end < 0 ? bytes.length : end;
    this.#leaveJson();
    return true;
  }

  #begin(byte: number | undefined): true {
    this.#start = this.#lineStart;
    this.#contentStart = this.#at;
    this.#mode = byte === brace ? 'json' : 'yaml';
    this.#isFallback = this.#isJsonStream && byte !== brace;
    if (byte !== brace) this.#leaveJson();
    this.#scan = new JsonScan(this.#at);
    return true;
  }

  #cutObject(bytes: Buffer, isEnd: boolean): CutDocument | undefined {
    const end = this.#scan.run(bytes, bytes.length);
    if (typeof end === 'number') return this.#cut(bytes, { start: this.#contentStart, end, syntax: 'json' });
    if (end === 'foreign' || isEnd) this.#beginFallback();
    return undefined;
  }

  /** Goes from line to line. */
  #cutYaml(bytes: Buffer, isEnd: boolean): CutDocument | undefined {
    for (let at = bytes.indexOf(newline, this.#at); at >= 0; at = bytes.indexOf(newline, this.#at)) {
      if (at + 4 >= bytes.length && !isEnd) return undefined;
      this.#at = at + 1;
      const isBoundary = isSeparator(bytes, at + 1) || (this.#isFallback && bytes[at + 1] === brace);
      if (isBoundary) return this.#cut(bytes, { start: this.#start, end: at + 1, syntax: 'yaml' });
    }
    if (!isEnd) {
      this.#at = bytes.length;
      return undefined;
    }
    return this.#cut(bytes, { start: this.#start, end: bytes.length, syntax: 'yaml' });
  }

  #cut(
    bytes: Buffer,
    { start, end, syntax }: { readonly start: number; readonly end: number; readonly syntax: 'json' | 'yaml' },
  ): CutDocument {
    this.#last = { end, syntax };
    return {
      bytes: bytes.subarray(start, end),
      line: this.line,
      offset: this.#window.offsetOf(start),
      syntax,
      isFallback: this.#isFallback,
      isAfterJson: this.#isAfterJson,
      isJsonStream: this.#isJsonStream,
      hasLongNumber: this.#scan.hasLongNumber,
      depth: this.#scan.maxDepth,
    };
  }
}
