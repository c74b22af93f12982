import { readFileSync } from 'node:fs';
import {
  canonicalMeta,
  type Meta,
  readCatalogStream,
  readPackages,
  UnreadableCatalog,
  writeCatalog,
} from '../../../src/catalog/index.ts';
import { type FuzzTarget, promised, pureTarget } from './target.ts';

const fixture = new URL('../../fixtures/catalog/', import.meta.url);

interface Outcome {
  readonly metas: readonly Meta[];
  /** Empty when everything could be read. */
  readonly fault: string;
}

async function read(chunks: Iterable<Uint8Array>): Promise<Outcome> {
  const metas: Meta[] = [];
  try {
    for await (const meta of readCatalogStream(chunks, 'catalog')) metas.push(meta);
    return { metas, fault: '' };
  } catch (thrown) {
    if (!(thrown instanceof UnreadableCatalog)) throw thrown;
    promised(
      thrown.faults.every(({ message }) => message !== ''),
      'a fault without a message',
    );
    return { metas, fault: thrown.message };
  }
}

function* cut(input: Buffer, size: number): Generator<Uint8Array> {
  for (let at = 0; at < input.length; at += size) yield input.subarray(at, at + size);
}

async function* all<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Catalogs: read whole and in pieces, made into packages, written and read again. */
export function catalogs(): FuzzTarget {
  const yaml = readFileSync(new URL('tide-gauge/catalog.yaml', fixture));
  const json = Buffer.from(
    '{"schema":"olm.package","name":"p"}\n{"schema":"my.schema","n":9007199254740993,"a":["}"]}\n---\n{schema: s,}\n',
  );
  const words = [
    '---\n',
    '{',
    '}',
    '"',
    '\\',
    '\n',
    '\n---\n',
    '...\n',
    '%YAML 1.1\n',
    '#',
    'schema: ',
    '\uFEFF',
    '\r',
  ];
  return pureTarget({ name: 'catalogs', seeds: [yaml, json], words }, async (input) => {
    const whole = await read([input]);
    const pieces = await read(cut(input, 1 + (input.length % 61)));
    const shown = ({ metas, fault }: Outcome): string => JSON.stringify([metas, fault]);
    promised(shown(whole) === shown(pieces), 'another catalog when it comes in pieces');
    await readPackages(all(whole.metas));
    let text = '';
    for await (const piece of writeCatalog(whole.metas, { format: input.length % 2 === 0 ? 'json' : 'yaml' }))
      text += piece;
    const again = await read([Buffer.from(text)]);
    const sorted = ({ metas }: Outcome): string => JSON.stringify(metas.map(canonicalMeta).sort());
    promised(
      again.fault === '' && sorted(again) === sorted(whole),
      `another catalog when it was written: ${again.fault}`,
    );
    return whole.fault === '' ? 'accepted' : 'refused';
  });
}
