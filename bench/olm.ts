import { findOlm } from '../test/olm/binaries.ts';
import { serveCatalogs } from '../test/olm/catalogs.ts';
import { hasCorpus } from '../test/support/index.ts';
import { offeredOperators } from './olm-catalog.ts';
import { measureNamespaceResolution } from './olm-resolution.ts';
import { measureOlmSubject, type OlmFigures } from './olm-run.ts';
import { startOurOlm, startRealOlm } from './olm-subjects.ts';
import { mebibytes } from './platform.ts';
import { type Measurement, median } from './table.ts';

const defaultNamespaces = 60;

interface Row {
  readonly what: string;
  readonly goal: string | undefined;
  /** Less is better. */
  readonly figure: (figures: OlmFigures) => number;
  readonly show: (value: number) => string;
}

const seconds = (value: number): string => `${value.toFixed(2)} s`;

function rowsFor(namespaces: number): readonly Row[] {
  const crowd = `${namespaces} namespaces × 20 operators`;
  return [
    {
      what: 'Subscription applied to CSV Succeeded, median of 5 published operators',
      goal: 'at most a fifth of OLM',
      figure: ({ installSeconds }) => median(installSeconds),
      show: seconds,
    },
    {
      what: 'slowest of them',
      goal: undefined,
      figure: ({ installSeconds }) => Math.max(...installSeconds),
      show: seconds,
    },
    {
      what: 'requests to the API server per installed operator',
      goal: 'at most half of OLM',
      figure: ({ requestsPerOperator }) => requestsPerOperator,
      show: (value) => value.toFixed(1),
    },
    {
      what: `resident memory of the controllers, ${crowd}`,
      goal: 'at most a third of OLM',
      figure: ({ memory }) => memory.residentBytes,
      show: mebibytes,
    },
    {
      what: 'anonymous memory of it, without pages of programs',
      goal: undefined,
      figure: ({ memory }) => memory.anonymousBytes,
      show: mebibytes,
    },
    {
      what: `peak memory of the controllers, ${crowd}`,
      goal: undefined,
      figure: ({ memory }) => memory.peakBytes,
      show: mebibytes,
    },
    {
      what: `from 5 operators to ${crowd}`,
      goal: undefined,
      figure: ({ copySeconds }) => copySeconds,
      show: seconds,
    },
    { what: 'idle for 30 s: requests', goal: '0', figure: ({ idle }) => idle.requests, show: String },
    { what: 'idle for 30 s: writes', goal: '0', figure: ({ idle }) => idle.writes, show: String },
  ];
}

function compared({ what, goal, figure, show }: Row, ours: OlmFigures, theirs: OlmFigures | undefined): Measurement {
  const own = figure(ours);
  const shared = { what, ...(goal === undefined ? {} : { goal }) };
  if (theirs === undefined) return { ...shared, value: show(own) };
  const other = figure(theirs);
  if (own === 0 || other === 0) return { ...shared, value: `${show(own)}; OLM ${show(other)}` };
  return { ...shared, value: `${show(own)}, ${(own / other).toFixed(2)} of OLM's ${show(other)}`, ratio: other / own };
}

/** Both in turn, each on an embedded API server of its own. `BENCH_OLM_NAMESPACES` has another number of namespaces. */
async function measureSubjects(): Promise<Measurement[]> {
  if (!hasCorpus) return [{ what: 'installing operators', value: 'not measured: the corpus is not there' }];
  const namespaces = Number(process.env['BENCH_OLM_NAMESPACES'] ?? defaultNamespaces);
  const operators = offeredOperators();
  await using catalogs = await serveCatalogs({ shop: operators.flatMap(({ documents }) => documents) });
  const place = { address: catalogs.addresses.get('shop') ?? '', namespaces };
  const measure = async (start: typeof startOurOlm): Promise<OlmFigures> => {
    await using subject = await start();
    return await measureOlmSubject(subject, operators, place);
  };
  const ours = await measure(startOurOlm);
  const binaries = await findOlm({ mayBuild: false, report: () => undefined });
  const theirs = 'missing' in binaries ? undefined : await measure(() => startRealOlm(binaries));
  const absent = 'missing' in binaries ? [{ what: 'OLM', value: `not measured: ${binaries.missing}` }] : [];
  return [
    ...rowsFor(namespaces).map((row) => compared(row, ours, theirs)),
    { what: 'most requests per operator', value: ours.frequent.join(', ') },
    ...(theirs === undefined ? absent : [{ what: "OLM's", value: theirs.frequent.join(', ') }]),
  ];
}

/** Operators installed by Subscription: ours beside the real OLM. */
export async function measureOlm(): Promise<Measurement[]> {
  return [...(await measureSubjects()), ...(await measureNamespaceResolution())];
}
