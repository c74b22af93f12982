import type { JSX } from 'preact';
import type { Installation, LogLine, LogResult } from '../../../server/wire.ts';
import { request } from '../../lib/api.ts';
import { useLoad } from '../../lib/load.ts';
import { setQuery, usePlace } from '../../lib/router.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Ago, CommandLine, Notice, Panel } from '../../ui/parts.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';

const tones = { debug: 'idle', info: 'idle', warn: 'warning', error: 'danger' } as const;

function Line({ line }: { readonly line: LogLine }): JSX.Element {
  const { time, level, message, facts, pod } = line;
  return (
    <li class="stack tight">
      <div class="row wrap">
        <span class={`tone-${tones[level]}`}>
          <Icon name={tones[level] === 'idle' ? 'activity' : 'warning'} />
          <span class="visually-hidden">{level}</span>
        </span>
        <strong class="grow break">{message}</strong>
        {pod !== '' && <span class="muted">{pod}</span>}
        <Ago time={time} />
      </div>
      <p class="mono muted break">{facts}</p>
    </li>
  );
}

/** What the controllers logged about the installation, the latest first. */
export function Log({ one }: { readonly one: Installation }): JSX.Element {
  const { query } = usePlace();
  const isFiltered = query.get('level') === 'problems';
  const { kind, namespace, name } = one;
  const found = useLoad(`${one.uid} ${one.status}`, (signal) =>
    request<LogResult>(`/api/log?${new URLSearchParams({ kind, namespace, name }).toString()}`, { signal }),
  );
  if (found.thrown !== undefined) return <Failure thrown={found.thrown} onRetry={found.reload} />;
  if (found.value === undefined) return <Skeleton lines={6} />;
  const { lines, unread, command } = found.value;
  const shown = lines.filter(({ level }) => !isFiltered || level === 'warn' || level === 'error');
  return (
    <Panel
      title={texts.installation.tabs.log}
      aside={
        <span class="row wrap">
          <label class="check">
            <input
              type="checkbox"
              checked={isFiltered}
              onChange={() => setQuery({ level: isFiltered ? '' : 'problems' })}
            />
            {texts.installation.problemsOnly}
          </label>
          <button type="button" class="button" onClick={found.reload}>
            <Icon name="refresh" />
            {texts.installation.reload}
          </button>
        </span>
      }
    >
      {unread.map(({ pod, why }) => (
        <Notice key={pod} tone="warning" title={texts.installation.unreadLog(pod)}>
          <p class="message">{why}</p>
        </Notice>
      ))}
      {shown.length === 0 ? (
        <Empty icon="activity" title={texts.installation.noLog} />
      ) : (
        <ol class="list">
          {shown.toReversed().map((line, index) => (
            <Line key={`${line.time} ${index}`} line={line} />
          ))}
        </ol>
      )}
      {command !== '' && (
        <div class="body">
          <CommandLine command={command} />
        </div>
      )}
    </Panel>
  );
}
