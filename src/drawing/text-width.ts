/** Widths of characters in a common sans-serif font, in hundredths of its size. Viewers choose the font: pictures leave room beside texts. */
const widths: ReadonlyMap<string, number> = new Map(
  Object.entries({
    22: "ijl'",
    28: 'ftI.,:;!/\\[]| ',
    34: '()-r`{}"*',
    50: 'ckszvxyJ',
    56: '0123456789abdeghnopquL#$_?',
    58: '+<>=~^',
    61: 'FTZ',
    67: 'ABEKPSVXY&',
    72: 'CDHNRUw',
    78: 'GOQ',
    85: 'mM',
    94: 'W%',
  }).flatMap(([width, characters]) => Array.from(characters, (character) => [character, Number(width)])),
);

/** Of characters that are not listed. */
const widest = 100;

/** The width of a text of one line. */
export function textWidth(text: string, size: number): number {
  const sum = Array.from(text).reduce((total, character) => total + (widths.get(character) ?? widest), 0);
  return (sum / 100) * size;
}
