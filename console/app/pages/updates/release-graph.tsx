import type { JSX } from 'preact';
import { runCommand } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { texts } from '../../texts.ts';
import { failureText } from '../../ui/action.tsx';
import { Icon } from '../../ui/icon.tsx';
import { CommandLine, Notice, Panel } from '../../ui/parts.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import type { ClusterVersion } from './cluster-version.ts';

interface Hop {
  readonly from: string;
  readonly to: string;
  readonly risks: readonly string[];
}

interface Graph {
  /** The newest first. */
  readonly versions: readonly {
    readonly version: string;
    readonly from: readonly string[];
    readonly risky: readonly { readonly from: string; readonly risks: readonly string[] }[];
  }[];
  readonly path?: { readonly hops: readonly Hop[]; readonly reason?: string };
}

const rowHeight = 30;
const laneWidth = 16;
const maxRows = 200;

/** Updates from the chosen version, and those of the path: all others would hide them. */
function shownHops({ versions, path }: Graph, from: string): readonly Hop[] {
  const direct = versions.flatMap(({ version, from: plain, risky }) => [
    ...(plain.includes(from) ? [{ from, to: version, risks: [] }] : []),
    ...risky.filter((one) => one.from === from).map(({ risks }) => ({ from, to: version, risks })),
  ]);
  const known = new Set(direct.map(({ to }) => `${from} ${to}`));
  return [...direct, ...(path?.hops ?? []).filter((hop) => !known.has(`${hop.from} ${hop.to}`))];
}

/** Versions as dots, the newest on top; updates as arcs beside them, dashed where they have known risks. */
function Picture({ graph, from }: { readonly graph: Graph; readonly from: string }): JSX.Element {
  const rows = graph.versions.slice(0, maxRows);
  const hops = shownHops(graph, from);
  const onPath = new Set(graph.path?.hops.map((hop) => `${hop.from} ${hop.to}`));
  const left = Math.max(1, hops.length) * laneWidth + 12;
  const yOf = (version: string): number => rows.findIndex((one) => one.version === version) * rowHeight + rowHeight / 2;
  return (
    <svg class="release-graph" width={left + 180} height={rows.length * rowHeight} aria-hidden="true">
      {hops
        .filter((hop) => yOf(hop.from) >= 0 && yOf(hop.to) >= 0)
        .map((hop, index) => {
          const x = left - 8 - (index + 1) * laneWidth;
          const classes = [
            'edge',
            hop.risks.length > 0 ? 'risky' : '',
            onPath.has(`${hop.from} ${hop.to}`) ? 'path' : '',
          ];
          return (
            <path
              key={`${hop.from} ${hop.to}`}
              class={classes.join(' ')}
              d={`M${left - 7} ${yOf(hop.from)}H${x}V${yOf(hop.to)}H${left - 7}`}
            >
              <title>{`${hop.from} → ${hop.to} ${hop.risks.join(', ')}`}</title>
            </path>
          );
        })}
      {rows.map(({ version }) => (
        <g key={version}>
          <circle class={version === from ? 'dot installed' : 'dot'} cx={left} cy={yOf(version)} r={6} />
          <text x={left + 16} y={yOf(version) + 4}>
            {version}
          </text>
        </g>
      ))}
    </svg>
  );
}

function Path({ path }: { readonly path: NonNullable<Graph['path']> }): JSX.Element {
  if (path.reason !== undefined) {
    return (
      <Notice tone="warning" title={texts.updates.noPath}>
        <p class="message">{path.reason}</p>
      </Notice>
    );
  }
  return (
    <div class="stack tight">
      <strong>{texts.updates.pathOf(path.hops.length)}</strong>
      <ol class="todo">
        {path.hops.map(({ from, to, risks }) => (
          <li key={to}>
            {from} → {to}{' '}
            {risks.length > 0 && <span class="tone-warning">{texts.updates.riskyHop(risks.join(', '))}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Ends({ graph, from, to }: { readonly graph: Graph; readonly from: string; readonly to: string }): JSX.Element {
  const versions = graph.versions.map(({ version }) => version);
  const select = (label: string, name: string, value: string): JSX.Element => (
    <label class="row">
      <span class="muted">{label}</span>
      <select aria-label={label} value={value} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        {name === 'to' && <option value="">{texts.updates.newest}</option>}
        {!versions.includes(value) && value !== '' && <option>{value}</option>}
        {versions.map((version) => (
          <option key={version}>{version}</option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="toolbar">
      {select(texts.updates.from, 'from', from)}
      {select(texts.updates.to, 'to', to)}
    </div>
  );
}

/** How each version is reached, as a list. */
function Sources({ graph }: { readonly graph: Graph }): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={texts.updates.reachedFrom}>
      <table>
        <tbody>
          {graph.versions.slice(0, maxRows).map(({ version, from, risky }) => (
            <tr key={version}>
              <th scope="row">{version}</th>
              <td class="break">{from.join(', ')}</td>
              <td class="break tone-warning">
                {risky.map((one) => `${one.from} ${texts.updates.riskyHop(one.risks.join(', '))}`).join('; ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Content({ from, to }: { readonly from: string; readonly to: string }): JSX.Element {
  const found = useLoad(`${from} ${to}`, async (signal) => {
    const result = await runCommand('releaseGraph', { from, ...(to === '' ? {} : { to }) }, signal);
    if (typeof result.output === 'string') throw new Error(failureText(result));
    return { graph: result.output as Graph, command: result.command };
  });
  if (found.thrown !== undefined) return <Failure thrown={found.thrown} onRetry={found.reload} />;
  if (found.value === undefined) return <Skeleton />;
  const { graph, command } = found.value;
  return (
    <div class="body stack">
      <Ends graph={graph} from={from} to={to} />
      <div class="split even">
        <div class="scroll" tabIndex={0} role="group" aria-label={texts.updates.graph}>
          <Picture graph={graph} from={from} />
        </div>
        <div class="stack">
          {graph.path !== undefined && <Path path={graph.path} />}
          <strong>{texts.updates.reachedFrom}</strong>
          <Sources graph={graph} />
        </div>
      </div>
      <CommandLine command={command} />
    </div>
  );
}

/** The updates of the channel, read from the update service when it is asked for. */
export function ReleaseGraph({ version }: { readonly version: ClusterVersion }): JSX.Element | null {
  const { query } = usePlace();
  const { upstream = '', channel = '' } = version.spec ?? {};
  if (upstream === '' || channel === '') return null;
  const from = query.get('from') ?? version.status?.desired?.version ?? '';
  const isOpen = query.get('graph') === 'shown';
  return (
    <Panel
      title={texts.updates.graph}
      aside={
        <button
          type="button"
          class="button"
          aria-expanded={isOpen}
          onClick={() => setQuery({ graph: isOpen ? '' : 'shown' })}
        >
          <Icon name="branch" />
          {texts.updates.showGraph}
        </button>
      }
    >
      {isOpen && <Content from={from} to={query.get('to') ?? ''} />}
    </Panel>
  );
}
