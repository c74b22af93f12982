/** A catalog of the size of all community releases together, generated: 333 packages of 7,018 bundles, 131 MB as JSON lines, one package of 40 MB. The
 *  same bytes each time. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { JsonObject } from '../src/base/index.ts';

const packageCount = 333;
const bundleCount = 7018;
const totalBytes = 131e6;
const large = { bundles: 45, bytes: 40e6 };
const iconBytes = 16_000;

const words =
  'the operator watches a resource and makes what it asks for storage network backup restore certificate secret version cluster namespace replica policy route metric alert queue topic user role limit schedule snapshot volume claim image pull host port address template label annotation status condition ready failed progress upgrade channel'.split(
    ' ',
  );

/** Pseudo-random numbers from 0 to 1 with a fixed seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Words of about the given number of characters. */
function prose(random: () => number, characters: number): string {
  const parts: string[] = [];
  for (let length = 0; length < characters; ) {
    const word = words[Math.floor(random() * words.length)] ?? '';
    parts.push(word);
    length += word.length + 1;
  }
  return parts.join(' ');
}

/** Shares of a whole with a realistic distribution: many small ones, few large ones. */
function spread(count: number, sum: number, width: number): number[] {
  const random = chance(count);
  const normal = (): number => Array.from({ length: 12 }, random).reduce((total, next) => total + next, -6);
  const raw = Array.from({ length: count }, () => Math.exp(width * normal()));
  const factor = sum / raw.reduce((total, next) => total + next, 0);
  return raw.map((value) => value * factor);
}

/** Whole numbers, at least 1, of the same sum. */
function bundleCounts(): number[] {
  const selected = bundleCount - large.bundles;
  const counts = spread(packageCount - 1, selected - packageCount, 1.2).map(
    (value) => 1 + Math.round(Math.min(221, value)),
  );
  for (
    let [index, over] = [0, counts.reduce((a, b) => a + b, 0) - selected];
    over !== 0;
    index = (index + 1) % counts.length
  ) {
    const count = counts[index] ?? 0;
    const step = over > 0 ? -1 : 1;
    if (count + step < 1 || count + step > 222) continue;
    counts[index] = count + step;
    over += step;
  }
  return [large.bundles, ...counts];
}

const packageName = (index: number): string => `operator-${String(index).padStart(3, '0')}`;
const version = (index: number): string =>
  `${1 + Math.floor(index / 100)}.${Math.floor(index / 10) % 10}.${index % 10}`;
const bundleName = (index: number, at: number): string => `${packageName(index)}.v${version(at)}`;

function properties(index: number, at: number): JsonObject[] {
  const group = `${packageName(index)}.example`;
  const kinds = Array.from({ length: 1 + (index % 5) }, (_, kind) => ({
    type: 'olm.gvk',
    value: { group, kind: `Kind${kind}`, version: 'v1' },
  }));
  const needs: JsonObject[] = [];
  if (index % 4 === 1) {
    const value = { packageName: packageName(index - 1), versionRange: '>=1.0.0' };
    needs.push({ type: 'olm.package.required', value });
  }
  if (index % 6 === 2) {
    const value = { group: `${packageName(index - 2)}.example`, kind: 'Kind0', version: 'v1' };
    needs.push({ type: 'olm.gvk.required', value });
  }
  return [
    { type: 'olm.package', value: { packageName: packageName(index), version: version(at) } },
    ...kinds,
    ...needs,
  ];
}

function bundle(index: number, at: number, bytes: number): JsonObject {
  const random = chance(index * 1000 + at);
  const described = Math.max(0, bytes - 1500);
  const owned = Array.from({ length: Math.ceil((described * 0.63) / 3000) }, (_, kind) => ({
    name: `kind${kind}s.${packageName(index)}.example`,
    kind: `Kind${kind}`,
    version: 'v1',
    description: prose(random, Math.min(described * 0.63, 2900)),
  }));
  const value = {
    annotations: { 'alm-examples': prose(random, described * 0.2), capabilities: 'Full Lifecycle' },
    crdDescriptions: { owned },
    description: prose(random, described * 0.12),
    displayName: `Operator ${index}`,
    installModes: [{ type: 'AllNamespaces', supported: true }],
    provider: { name: 'Example' },
  };
  const image = `registry.example/${packageName(index)}@sha256:${createHash('sha256').update(bundleName(index, at)).digest('hex')}`;
  return {
    schema: 'olm.bundle',
    name: bundleName(index, at),
    package: packageName(index),
    image,
    properties: [...properties(index, at), { type: 'olm.csv.metadata', value }],
    relatedImages: Array.from({ length: 4 }, (_, other) => ({
      name: `image-${other}`,
      image: `${image.slice(0, -1)}${other}`,
    })),
  };
}

function channel(index: number, count: number): JsonObject {
  const entries = Array.from({ length: count }, (_, at) => ({
    name: bundleName(index, at),
    ...(at === 0 ? {} : { replaces: bundleName(index, at - 1) }),
    ...(at % 3 === 0 ? { skipRange: `>=1.0.0 <${version(at)}` } : {}),
  }));
  return { schema: 'olm.channel', package: packageName(index), name: 'stable', entries };
}

/** Its documents, package by package. */
function* grownCatalog(): Generator<JsonObject> {
  const counts = bundleCounts();
  const rest = totalBytes - large.bytes - packageCount * iconBytes * 1.4;
  const sizes = spread(bundleCount - large.bundles, rest, 1.25).values();
  for (const [index, count] of counts.entries()) {
    const icon = Buffer.from(Array.from({ length: iconBytes }, chance(index)).map((value) => value * 256)).toString(
      'base64',
    );
    const name = packageName(index);
    yield { schema: 'olm.package', name, defaultChannel: 'stable', icon: { base64data: icon, mediatype: 'image/png' } };
    yield channel(index, count);
    for (let at = 0; at < count; at += 1) {
      yield bundle(index, at, index === 0 ? large.bytes / large.bundles : (sizes.next().value ?? 0));
    }
  }
}

/** Writes it as JSON lines; how many bytes. */
export async function writeGrownCatalog(file: string): Promise<number> {
  let bytes = 0;
  function* lines(): Generator<string> {
    for (const document of grownCatalog()) {
      const line = `${JSON.stringify(document)}\n`;
      bytes += line.length;
      yield line;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
  return bytes;
}
