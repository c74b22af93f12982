import type { JSX } from 'preact';
import type { Installation, PackageRow } from '../../../server/wire.ts';
import { runCommand } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { texts } from '../../texts.ts';
import { failureText } from '../../ui/action.tsx';
import { CommandLine, Panel } from '../../ui/parts.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { Graph } from './graph.tsx';
import type { GraphChannel, GraphDocument } from './graph-document.ts';

async function readGraph(
  row: PackageRow,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ graph: GraphDocument; command: string }> {
  const { name, catalog, catalogNamespace } = row;
  const result = await runCommand('graph', { package: name, catalog, catalogNamespace, ...query }, signal);
  if (typeof result.output === 'string') throw new Error(failureText(result));
  return { graph: result.output as GraphDocument, command: result.command };
}

function Select(props: {
  readonly title: string;
  readonly name: string;
  readonly empty: string;
  readonly values: readonly string[];
  readonly current: string;
}): JSX.Element {
  const { title, name, empty, values, current } = props;
  return (
    <label class="row">
      <span class="muted">{title}</span>
      <select value={current} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        <option value="">{empty}</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}

function Choices({
  row,
  versions,
  from,
}: {
  readonly row: PackageRow;
  readonly versions: readonly string[];
  readonly from: string;
}): JSX.Element {
  const { query } = usePlace();
  return (
    <div class="toolbar">
      <Select
        title={texts.catalog.channel}
        name="channel"
        empty={texts.catalog.allChannels}
        values={row.channels}
        current={query.get('channel') ?? ''}
      />
      <Select title={texts.catalog.installedVersion} name="from" empty="—" values={versions} current={from} />
      <Select
        title={texts.catalog.to}
        name="to"
        empty={texts.catalog.latest}
        values={versions}
        current={query.get('to') ?? ''}
      />
    </div>
  );
}

function Path({ graph }: { readonly graph: GraphDocument }): JSX.Element {
  return (
    <Panel title={texts.catalog.pathTitle}>
      <ol class="list">
        {graph.path.map(({ from, to, channel, reason }) => (
          <li key={`${from} ${to}`} class="stack tight">
            <strong class="break">
              {from} → {to}
            </strong>
            <span class="muted break">
              {reason}; channel {channel}
            </span>
          </li>
        ))}
        {graph.end.map((sentence) => (
          <li key={sentence} class="muted break">
            {sentence}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function ChannelTable({ channel }: { readonly channel: GraphChannel }): JSX.Element {
  return (
    <details open={channel.isDefault}>
      <summary>
        <strong>{channel.name}</strong>
        <span class="muted">{channel.rows.length}</span>
        {channel.deprecation !== undefined && <span class="chip warning">{channel.deprecation}</span>}
      </summary>
      <div class="scroll" tabIndex={0} role="group" aria-label={channel.name}>
        <table>
          <tbody>
            {channel.rows.map((row) => {
              const edges = channel.edges.filter(({ to }) => to === row.name);
              return (
                <tr key={row.name}>
                  <th scope="row">{row.label}</th>
                  <td>{row.isInstalled ? texts.catalog.installed : row.kind}</td>
                  <td class="muted break">{edges.map(({ kind, from }) => `${kind} ${from}`).join('; ')}</td>
                  <td class="break">{row.deprecation}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** The update graph, with the path from a version, and the same as a list. */
export function Channels({
  row,
  installed,
}: {
  readonly row: PackageRow;
  readonly installed: readonly Installation[];
}): JSX.Element {
  const { query } = usePlace();
  const from = query.get('from') ?? installed.find(({ version }) => version !== '')?.version ?? '';
  const asked = {
    ...(from === '' ? {} : { installed: from }),
    ...(query.get('to') ? { to: query.get('to') ?? '' } : {}),
    ...(query.get('channel') ? { channel: query.get('channel') ?? '' } : {}),
  };
  const found = useLoad(JSON.stringify([row.name, row.catalog, asked]), (signal) => readGraph(row, asked, signal));
  if (found.thrown !== undefined) return <Failure thrown={found.thrown} onRetry={found.reload} />;
  if (found.value === undefined) return <Skeleton lines={8} />;
  const { graph, command } = found.value;
  const versions = [...new Set(graph.channels.flatMap(({ rows }) => rows.map(({ label }) => label)))];
  return (
    <div class="stack">
      <Choices row={row} versions={versions} from={from} />
      <Graph graph={graph} />
      <div class="split">
        <Panel title={texts.catalog.asList}>
          {graph.channels.map((channel) => (
            <ChannelTable key={channel.name} channel={channel} />
          ))}
        </Panel>
        {from !== '' && <Path graph={graph} />}
      </div>
      <CommandLine command={command} />
    </div>
  );
}
