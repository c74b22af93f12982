import type { Measurement } from './table.ts';

/** A goal of the project, and where its measurement is recorded. */
interface Goal {
  readonly work: string;
  readonly part: string;
  /** The measurement: the beginning of its name; the one below it when `below` is set. */
  readonly what: string;
  readonly below?: boolean;
  /** The number in its value. Default: the first one. */
  readonly pick?: RegExp;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly unit?: string;
}

interface RecordedPart {
  readonly name: string;
  readonly machine: string;
  readonly date: string;
  readonly load?: number;
  readonly measurements: readonly Measurement[];
}

const firstNumber = /(\d+(?:\.\d+)?)/;
/** `680 ms, 0.25 of 2761 ms` */
const ratioOf = /([\d.]+) of/;
/** `3544 ms, 0.96 times ours` */
const timesOurs = /([\d.]+) times ours/;
const getPackage = 'GetPackage by 16 clients, beside opm serve: longshore';
const renderings = '2166 renderings, 2 workers, beside the Go renderer';
const resolved =
  'a namespace with 20 Subscriptions resolved, the catalog of the corpus of 35 packages: start of the thread included';

const besideRukpak = '300 BundleDeployments of 5 objects, source http';

/** In the order of the table. */
const goals: readonly Goal[] = [
  { work: 'Renderings, beside the Go renderer: CPU', part: 'render', what: `${renderings}: CPU, ratio`, atMost: 0.25 },
  { work: '… wall clock', part: 'render', what: `${renderings}: wall, ratio`, atMost: 0.33 },
  { work: '… memory', part: 'render', what: `${renderings}: memory, ratio`, atMost: 2 },
  {
    work: '300 BundleDeployments of 5 objects, times as fast as RukPak',
    part: 'rukpak',
    what: `${besideRukpak}: created to all Installed`,
    below: true,
    pick: timesOurs,
    atLeast: 15,
  },
  {
    work: '… processor time of each',
    part: 'rukpak',
    what: `${besideRukpak}: processor time of each`,
    atMost: 15,
    unit: 'ms',
  },
  { work: '… memory', part: 'rukpak', what: `${besideRukpak}: peak memory`, atMost: 160, unit: 'MiB' },
  {
    work: '10,000 BundleDeployments installed',
    part: 'many-deployments',
    what: 'embedded: created to all Installed',
    atMost: 120,
    unit: 's',
  },
  {
    work: '… memory',
    part: 'many-deployments',
    what: 'embedded: peak memory of the platform',
    atMost: 400,
    unit: 'MiB',
  },
  { work: '… restart', part: 'many-deployments', what: 'embedded: restart: ready after', atMost: 5, unit: 's' },
  {
    work: '… requests of a restart per deployment',
    part: 'many-deployments',
    what: 'embedded: restart: requests per deployment',
    atMost: 0.1,
  },
  {
    work: 'Image of 200 MiB, times as fast as skopeo and umoci',
    part: 'fetch',
    what: 'Image of 200 MiB',
    below: true,
    pick: timesOurs,
    atLeast: 1.3,
  },
  {
    work: 'GetPackage by 16 clients, times as many as opm serve',
    part: 'opm',
    what: `${getPackage}: throughput, ratio`,
    atLeast: 1.5,
  },
  { work: '… with --threads 2', part: 'opm', what: `${getPackage}, --threads 2: throughput, ratio`, atLeast: 1.5 },
  { work: '… p99, of that of opm', part: 'opm', what: `${getPackage}: p99, ratio`, atMost: 1 },
  { work: '… p99 with --threads 2', part: 'opm', what: `${getPackage}, --threads 2: p99, ratio`, atMost: 1 },
  {
    work: 'catalog render of a small catalog, memory, of that of opm',
    part: 'opm',
    what: 'catalog of the examples: render, peak beside opm',
    pick: ratioOf,
    atMost: 1,
  },
  {
    work: 'API server ready, of the time of kube-apiserver and etcd',
    part: 'apiserver',
    what: 'start to ready',
    pick: ratioOf,
    atMost: 0.08,
  },
  {
    work: '… of the package, in milliseconds',
    part: 'start',
    what: 'process start to first answered request, of the package @longshore/apiserver, with a compile cache',
    atMost: 200,
    unit: 'ms',
  },
  {
    work: '… memory with 50,000 objects of 2 KiB',
    part: 'memory',
    what: 'memory with 50000 objects of 2 KiB',
    pick: ratioOf,
    atMost: 0.33,
  },
  { work: 'longshore --help', part: 'program', what: 'longshore --help', atMost: 0.1, unit: 's' },
  { work: 'longshore tree', part: 'program', what: 'longshore tree', atMost: 0.25, unit: 's' },
  { work: 'Shell completion', part: 'program', what: 'shell completion', atMost: 0.1, unit: 's' },
  { work: 'Folder of npm ci', part: 'program', what: 'folder of npm ci', atMost: 350, unit: 'MB' },
  { work: 'Published package', part: 'program', what: 'published package', atMost: 2, unit: 'MB' },
  {
    work: 'Operator by Subscription, of the time of OLM',
    part: 'olm',
    what: 'Subscription applied to CSV Succeeded, median of 5 published operators',
    pick: ratioOf,
    atMost: 0.2,
  },
  {
    work: '… requests',
    part: 'olm',
    what: 'requests to the API server per installed operator',
    pick: ratioOf,
    atMost: 0.5,
  },
  {
    work: '… memory',
    part: 'olm',
    what: 'resident memory of the controllers, 300 namespaces × 20 operators',
    pick: ratioOf,
    atMost: 0.33,
  },
  { work: '… a namespace resolved, first time', part: 'olm', what: resolved, atMost: 500, unit: 'ms' },
  {
    work: 'Release installed, times as fast as the cluster-version-operator',
    part: 'release',
    what: 'reference ÷ Longshore: time of the installation',
    atLeast: 2,
  },
  { work: '… updated', part: 'release', what: 'reference ÷ Longshore: time of the update', atLeast: 2 },
  { work: '… times less memory', part: 'release', what: 'reference ÷ Longshore: memory', atLeast: 4 },
  {
    work: '… times less CPU without changes',
    part: 'release',
    what: 'reference ÷ Longshore: CPU of rounds without changes',
    atLeast: 2,
  },
  {
    work: 'Update service: CPU of 10,000 clients',
    part: 'graph',
    what: '10,000 clients, whole graphs: processor time',
    atMost: 60,
    unit: 's',
  },
  {
    work: 'ClusterExtension installed, of the time of operator-controller',
    part: 'cluster-extensions',
    what: 'ClusterExtension applied to Installed',
    pick: ratioOf,
    atMost: 0.2,
  },
  {
    work: '… memory after a minute at rest',
    part: 'cluster-extensions',
    what: 'resident memory after a minute at rest',
    pick: ratioOf,
    atMost: 0.5,
  },
  {
    work: 'Charts rendered first, times as fast as helm template',
    part: 'helm',
    what: 'rendered for the first time, a chart',
    below: true,
    atLeast: 1,
  },
  { work: '… again', part: 'helm', what: 'rendered again, a chart', below: true, atLeast: 3 },
  { work: 'Console: first paint', part: 'console', what: 'first paint', atMost: 1000, unit: 'ms' },
  {
    work: '… a filter typed, until painted',
    part: 'console',
    what: 'a filter is typed, until it is painted',
    atMost: 100,
    unit: 'ms',
  },
];

function valueOf({ what, below, pick = firstNumber }: Goal, { measurements }: RecordedPart): number | undefined {
  const index = measurements.findIndex((measurement) => measurement.what.startsWith(what));
  const found = index < 0 ? undefined : measurements[below === true ? index + 1 : index];
  const text = found?.value.match(pick)?.[1];
  return text === undefined ? undefined : Number(text);
}

function isMet({ atMost, atLeast }: Goal, value: number): boolean {
  return value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? 0);
}

function rowOf(goal: Goal, part: RecordedPart | undefined): string {
  const { work, atMost = 0, atLeast, unit } = goal;
  const shown = (value: number): string => (unit === undefined ? String(value) : `${value} ${unit}`);
  const aim = atLeast === undefined ? `at most ${shown(atMost)}` : `at least ${shown(atLeast)}`;
  const value = part && valueOf(goal, part);
  if (part === undefined || value === undefined) return `| ${work} | not recorded | ${aim} | | \`${goal.part}\` |`;
  const when = `\`${part.name}\`, ${part.date}${part.load === undefined ? '' : `, load ${part.load}`}`;
  return `| ${work} | ${shown(value)} | ${aim} | ${isMet(goal, value) ? 'yes' : '**no**'} | ${when} |`;
}

/** Every goal beside what is recorded, as a section of docs/performance.md. */
export function goalsSection(parts: readonly RecordedPart[]): string {
  const machines = [...new Set(parts.map(({ machine }) => machine))].map((machine) => `- ${machine}`);
  return [
    '## Goals',
    '',
    'What is recorded below, beside the goal. The last column names the part that measured it',
    '(`npm run bench -- --write PART`), the day, and the load of the machine: ratios are measured in',
    'turn, but absolute times are longer under load. The image and machines have no part yet. Measured',
    'on:',
    '',
    ...machines,
    '',
    '| work | now | goal | met | part |',
    '|---|---|---|---|---|',
    ...goals.map((goal) =>
      rowOf(
        goal,
        parts.find(({ name }) => name === goal.part),
      ),
    ),
  ].join('\n');
}
