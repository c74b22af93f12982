import { hasCorpus } from '../test/support/corpus.ts';
import { startChild } from './child.ts';
import type { ReadPolicy, RenderRound } from './render-child.ts';
import { peerMeasurements } from './render-peer.ts';
import { type Measurement, median } from './table.ts';

const rounds = 100;
const warmRounds = 10;
const mebibyte = 2 ** 20;

function perSecond({ renderings, cpuMs }: RenderRound): number {
  return (renderings * 1000) / cpuMs;
}

async function measure(policy: ReadPolicy): Promise<readonly RenderRound[]> {
  await using child = startChild('render-child.ts', [String(rounds), policy]);
  const results: RenderRound[] = [];
  for (let round = 0; round < rounds; round++) results.push(await child.next<RenderRound>());
  return results;
}

async function measurementsOf(policy: ReadPolicy): Promise<Measurement[]> {
  const results = await measure(policy);
  const [first] = results;
  const early = results[warmRounds];
  const last = results.at(-1);
  if (first === undefined || last === undefined || early === undefined) throw new Error('no rounds were measured');
  const warm = results.slice(warmRounds);
  const { bundles, renderings } = first;
  const loads = policy === 'read once' ? bundles : renderings;
  const perRound = median(warm.map(perSecond));
  return [
    {
      what: `${policy}: first round, ${loads} loads, ${renderings} renderings`,
      value: `${Math.round(first.cpuMs)} ms`,
    },
    {
      what: `${policy}: renderings a second of one core, once warm`,
      value: `${Math.round(perRound)} /s`,
      goal: 'over 500 /s',
    },
    { what: `${policy}: loads a second besides`, value: `${Math.round((perRound * loads) / renderings)} /s` },
    { what: `${policy}: memory after ${warmRounds} rounds`, value: `${Math.round(early.rssBytes / mebibyte)} MiB` },
    {
      what: `${policy}: memory after ${rounds} rounds`,
      value: `${Math.round(last.rssBytes / mebibyte)} MiB`,
      goal: 'flat',
    },
    { what: `${policy}: peak`, value: `${Math.round(last.peakBytes / mebibyte)} MiB` },
  ];
}

/** Renderings a second of the registry+v1 bundles of the corpus, reading included, and the memory that 100 rounds take. */
export async function measureRender(): Promise<Measurement[]> {
  if (!hasCorpus) return [{ what: 'skipped', value: 'the corpus of real bundles is not there (LONGSHORE_CORPUS)' }];
  return [
    ...(await measurementsOf('read once')),
    ...(await measurementsOf('read each time')),
    ...(await peerMeasurements()),
  ];
}
