const armorStart = '-----BEGIN PGP PUBLIC KEY BLOCK-----';
const armorEnd = '-----END PGP PUBLIC KEY BLOCK-----';
const publicKeyTag = 6;

/** A text may have several blocks, one after another; the text before each start is left out. */
export function armoredBlocks(text: string): string[] {
  return text
    .split(armorStart)
    .slice(1)
    .map((block) => `${armorStart}${block}`);
}

function firstTag(block: string): number {
  const body = block.slice(armorStart.length, block.indexOf(armorEnd));
  const [, ...data] = body.trimStart().startsWith('-') ? [] : body.split(/\r?\n[ \t]*\r?\n/);
  const [header = 0] = Buffer.from(data.join('\n').replace(/^=.*$/m, ''), 'base64');
  if (header < 128) return 0;
  return (header & 64) === 0 ? (header >> 2) & 15 : header & 63;
}

/** What is in the place of armored public keys, without showing it; undefined for what looks like some. Keys are parsed when they are used. */
export function describeArmoredKeys(text: string): string | undefined {
  if (text.includes('PRIVATE KEY')) return 'a private key, which must stay with its owner';
  const blocks = armoredBlocks(text);
  const areKeys = blocks.every((block) => block.includes(armorEnd) && firstTag(block) === publicKeyTag);
  return blocks.length > 0 && areKeys ? undefined : 'something else';
}
