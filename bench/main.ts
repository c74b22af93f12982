/** `npm run bench`: the measurements of the project, as tables; with `--write` also as docs/performance.md. `npm run bench -- webhook render` picks parts;
 *  `npm run bench -- --draw` measures nothing, and writes the document from what is recorded. */

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureRequests, measureStart } from './api-server.ts';
import { measureManyBundles, measureWideBundle } from './bundles.ts';
import { measureBesideOpm, measureCatalog } from './catalog.ts';
import { measureClusterExtensions } from './cluster-extensions.ts';
import { measureComparison, measureMemory } from './comparison.ts';
import { measureConsole } from './console.ts';
import { measureADay } from './day.ts';
import { measureDeployments } from './deployments.ts';
import { type MeasuredPart, writeDocument } from './document.ts';
import { measureFetch } from './fetch.ts';
import { measureGrowth } from './growth.ts';
import { measureHelm } from './helm.ts';
import { measureLargeBundles } from './large-bundles.ts';
import { measureMachines } from './machines.ts';
import { measureOlm } from './olm.ts';
import { measureProgram } from './program.ts';
import { measureRelease } from './release.ts';
import { measureRender } from './render.ts';
import { measureBesideRukpak } from './rukpak.ts';
import { formatMeasurements, type Measurement, machineLine } from './table.ts';
import { measureUpdateService } from './update-service.ts';
import { measureWebhook } from './webhook.ts';

const parts: readonly { readonly name: string; readonly title: string; readonly run: () => Promise<Measurement[]> }[] =
  [
    { name: 'start', title: 'Start of the API server (median of 7)', run: measureStart },
    { name: 'requests', title: 'Requests to the API server, in memory', run: measureRequests },
    { name: 'apiserver', title: 'Compared with kube-apiserver and etcd, both durable', run: measureComparison },
    { name: 'memory', title: 'Memory beside kube-apiserver and etcd', run: measureMemory },
    { name: 'fetch', title: 'Fetching bundles, from a server to the content store', run: measureFetch },
    { name: 'deployments', title: '1,000 BundleDeployments of 5 objects', run: () => measureDeployments(1000) },
    { name: 'many-deployments', title: '10,000 BundleDeployments of 5 objects', run: () => measureDeployments(10_000) },
    { name: 'rukpak', title: '300 BundleDeployments on kube-apiserver, beside RukPak', run: measureBesideRukpak },
    { name: 'growth', title: 'Cost by number, on the embedded API server', run: measureGrowth },
    { name: 'day', title: 'A busy day of 60 BundleDeployments, in a row', run: measureADay },
    { name: 'wide-bundle', title: 'A bundle of 5,000 ConfigMaps', run: measureWideBundle },
    { name: 'bundles', title: '10,000 Bundles of one image', run: measureManyBundles },
    { name: 'webhook', title: 'The admission webhook, over TLS', run: measureWebhook },
    { name: 'render', title: 'Registry+v1 bundles, read and rendered', run: measureRender },
    { name: 'helm', title: 'Charts, rendered beside helm template', run: measureHelm },
    { name: 'catalog', title: 'Catalogs: validated, indexed, served and resolved', run: measureCatalog },
    { name: 'opm', title: 'Catalogs, beside opm', run: measureBesideOpm },
    { name: 'olm', title: 'Operators by Subscription, beside Operator Lifecycle Manager', run: measureOlm },
    {
      name: 'cluster-extensions',
      title: 'ClusterExtensions, beside operator-controller and catalogd',
      run: measureClusterExtensions,
    },
    { name: 'graph', title: 'An update service with published graph data', run: measureUpdateService },
    {
      name: 'release',
      title: 'A release of ten real components, beside the cluster-version-operator',
      run: measureRelease,
    },
    {
      name: 'machines',
      title: 'A fifth of all machines deleted at once, with hooks, budgets and a drain that never ends',
      run: measureMachines,
    },
    { name: 'console', title: 'The web console, 1,000 BundleDeployments and 7,000 Bundles', run: measureConsole },
    { name: 'program', title: 'The command line and what is installed', run: measureProgram },
    { name: 'large', title: 'Bundles with a file of 20 MiB', run: measureLargeBundles },
  ];

const { values, positionals: selected } = parseArgs({
  options: { write: { type: 'boolean', default: false }, draw: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = selected.filter((name) => !parts.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(`bench: no part "${unknown.join(', ')}"; there are ${parts.map((part) => part.name).join(', ')}`);
  process.exit(2);
}
console.log(machineLine());
const measured: MeasuredPart[] = [];
for (const { name, title, run } of parts) {
  if (values.draw || (selected.length > 0 && !selected.includes(name))) continue;
  const measurements = await run();
  console.log(`\n${formatMeasurements(title, measurements)}`);
  const [date = ''] = new Date().toISOString().split('T');
  const load = Math.round(loadavg()[2] ?? 0);
  measured.push({ name, title, measurements, machine: machineLine(), date, load });
}
if (values.write || values.draw)
  await writeDocument(
    measured,
    parts.map((part) => part.name),
  );
