const [backslash, quote, firstPrintable] = [92, 34, 32];

/** What a byte may be outside of texts. */
const kinds = new Uint8Array(256);
const [foreign, plain, digit, opening, closing, quotation] = [0, 1, 2, 3, 4, 5];
for (const character of ' \t\r\n,:+-.eEtrufalsn') kinds[character.charCodeAt(0)] = plain;
for (const character of '0123456789') kinds[character.charCodeAt(0)] = digit;
for (const character of '{[') kinds[character.charCodeAt(0)] = opening;
for (const character of '}]') kinds[character.charCodeAt(0)] = closing;
kinds[quote] = quotation;

/** Numbers with fewer digits are exact as JavaScript has them. */
const maxExactDigits = 15;

/** Finds the end of a JSON object byte by byte, without making anything of it; goes on where it stopped when more bytes have come. */
export class JsonScan {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #digits = 0;
  #at: number;
  /** The deepest nesting so far. */
  maxDepth = 0;
  /** Whether a number may need more digits than JavaScript's numbers have. */
  hasLongNumber = false;

  /** @param from index of the opening brace */
  constructor(from: number) {
    this.#at = from;
  }

  /** Notes that what was at `bytes` before now stands that much earlier in what is handed in next. */
  shift(bytes: number): void {
    this.#at -= bytes;
  }

  /** The index behind the object; 'more' when it does not end before `to`, 'foreign' when it is no JSON. */
  run(bytes: Uint8Array, to: number): number | 'more' | 'foreign' {
    while (this.#at < to) {
      const isFine = this.#isInText ? this.#text(bytes, to) : this.#structure(bytes, to);
      if (!isFine) return 'foreign';
      if (this.#depth === 0 && !this.#isInText) return this.#at;
    }
    return 'more';
  }

  /** Up to the end of a text. */
  #text(bytes: Uint8Array, to: number): boolean {
    let at = this.#at;
    if (this.#isEscaped) {
      at += 1;
      this.#isEscaped = false;
    }
    for (; at < to; at += 1) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        this.#isInText = false;
        at += 1;
        break;
      }
      if (byte === backslash) at += 1;
      else if (byte < firstPrintable) return false;
    }
    this.#isEscaped = at > to;
    this.#at = Math.min(at, to);
    return true;
  }

  /** Up to the start of a text, or the end of the object. */
  #structure(bytes: Uint8Array, to: number): boolean {
    let at = this.#at;
    for (; at < to; at += 1) {
      const kind = kinds[bytes[at] as number];
      if (kind === plain) this.#digits = 0;
      else if (kind === digit) this.#countDigit();
      else if (kind === foreign) return false;
      else if (kind === quotation) {
        this.#isInText = true;
        at += 1;
        break;
      } else {
        this.#bracket(kind === opening);
        if (this.#depth === 0) {
          at += 1;
          break;
        }
      }
    }
    this.#at = at;
    return true;
  }

  #countDigit(): void {
    this.#digits += 1;
    if (this.#digits > maxExactDigits) this.hasLongNumber = true;
  }

  #bracket(isOpening: boolean): void {
    this.#digits = 0;
    this.#depth += isOpening ? 1 : -1;
    if (this.#depth > this.maxDepth) this.maxDepth = this.#depth;
  }
}
