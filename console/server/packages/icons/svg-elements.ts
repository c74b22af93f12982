/** An element of a picture. */
export interface SvgElement {
  /** Without its prefix. */
  readonly name: string;
  /** Values by names without prefixes; of other namespaces than that of links they are left out. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: SvgElement[];
}

/** A picture as elements, each of which may be drawn. */
export interface SvgDocument {
  readonly root: SvgElement;
  readonly elements: readonly SvgElement[];
  /** The texts of all style sheets. */
  readonly style: string;
}

/** What ends what begins with these; a document type is read by itself. */
const sections: readonly (readonly [begin: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];
/** Entities of drawing programs name namespaces. Anything else could become elements or references. */
const documentType = /<!DOCTYPE[^[\]<>]*(?:\[\s*(?:<!ENTITY\s+[\w.-]+\s+"[^"<&%#]*"\s*>\s*)*\]\s*)?>/y;
const tag = /<(\/?)([\w.:-]+)([^"'<>]*(?:(?:"[^"<]*"|'[^'<]*')[^"'<>]*)*)>/y;
const attribute = /\s+([\w.:-]+)\s*=\s*("[^"]*"|'[^']*')/y;
const otherEncoding = /^\ufeff?<\?xml[^>]*encoding=(?!["'](?:utf-8|us-ascii|iso-8859-1)["'])/i;

const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** The character of `#10`, `#x0a` or `amp`; undefined for any other entity. */
function characterOf(entity: string): string | undefined {
  const [, hex = '', digits = ''] = /^#(x?)([\da-f]{1,7})$/i.exec(entity) ?? [];
  const code = Number.parseInt(digits, hex === '' ? 10 : 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : named.get(entity);
}

function decoded(value: string): string {
  return value.replaceAll(/&([#\w]{2,9});/g, (whole, entity: string) => characterOf(entity) ?? whole);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Undefined for what is not well-formed. */
function attributesOf(text: string): Map<string, string> | undefined {
  const found = new Map<string, string>();
  attribute.lastIndex = 0;
  let end = 0;
  for (let match = attribute.exec(text); match !== null; match = attribute.exec(text)) {
    const [, name = '', quoted = ''] = match;
    end = attribute.lastIndex;
    if (!name.includes(':') || name.endsWith(':href')) found.set(localName(name), decoded(quoted.slice(1, -1)));
  }
  return /^\s*\/?$/.test(text.slice(end)) ? found : undefined;
}

/** Reads the elements of a picture, one after the other. */
class Reader {
  readonly #text: string;
  readonly #elements: SvgElement[] = [];
  readonly #open: SvgElement[] = [];
  readonly #maxElements: number;
  #style = '';
  #at = 0;

  constructor(text: string, maxElements: number) {
    this.#text = text;
    this.#maxElements = maxElements;
  }

  read(): SvgDocument | undefined {
    while (this.#at < this.#text.length) {
      const next = this.#text.indexOf('<', this.#at);
      const end = next === -1 ? this.#text.length : next;
      this.#addText(this.#text.slice(this.#at, end));
      this.#at = end;
      if (next !== -1 && !this.#readMarkup()) return undefined;
    }
    const [root] = this.#elements;
    return root === undefined ? undefined : { root, elements: this.#elements, style: this.#style };
  }

  #addText(text: string): void {
    if (this.#open.at(-1)?.name === 'style') this.#style += decoded(text);
  }

  #readMarkup(): boolean {
    const section = sections.find(([begin]) => this.#text.startsWith(begin, this.#at));
    if (section !== undefined) return this.#readSection(section);
    if (this.#text.startsWith('<!', this.#at)) return this.#match(documentType) !== undefined;
    const found = this.#match(tag);
    const [, slash = '', name = '', rest = ''] = found ?? [];
    if (found === undefined) return false;
    if (slash === '') return this.#begin(localName(name), rest);
    return this.#open.pop()?.name === localName(name);
  }

  #readSection([begin, end]: readonly [string, string]): boolean {
    const stop = this.#text.indexOf(end, this.#at + begin.length);
    if (stop === -1) return false;
    const content = this.#text.slice(this.#at + begin.length, stop);
    if (begin === '<![CDATA[' && this.#open.at(-1)?.name === 'style') this.#style += content;
    this.#at = stop + end.length;
    return begin !== '<?' || !content.startsWith('xml-stylesheet');
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }

  #begin(name: string, rest: string): boolean {
    const attributes = attributesOf(rest);
    if (attributes === undefined || this.#elements.length >= this.#maxElements) return false;
    const element: SvgElement = { name, attributes, children: [] };
    this.#elements.push(element);
    this.#open.at(-1)?.children.push(element);
    if (!rest.endsWith('/')) this.#open.push(element);
    return true;
  }
}

/** Reads a picture as browsers do; undefined for what is not well-formed, has more elements, or uses what could hide elements from this reader. */
export function readSvg(bytes: Buffer, maxElements: number): SvgDocument | undefined {
  const text = bytes.toString('utf8');
  if (text.includes('\0') || text.includes('\ufffd') || otherEncoding.test(text)) return undefined;
  return new Reader(text, maxElements).read();
}
