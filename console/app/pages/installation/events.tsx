import type { JSX } from 'preact';
import type { EventRow, Installation } from '../../../server/wire.ts';
import { useWatch } from '../../lib/watches.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';
import { Ago, Panel } from '../../ui/parts.tsx';
import { Empty, WatchContent } from '../../ui/states.tsx';

/** Whether an Event is about the installation, or about something with its name as a prefix in its namespace. */
function isAbout(event: EventRow, one: Installation): boolean {
  if (event.kind === one.kind && event.name === one.name) return true;
  const isNear = one.namespace === '' || event.namespace === one.namespace;
  return (
    isNear &&
    (event.name === one.name || event.name.startsWith(`${one.name}-`) || event.name.startsWith(`${one.name}.`))
  );
}

/** The Events of an installation, the latest first. */
export function Events({ one }: { readonly one: Installation }): JSX.Element {
  const events = useWatch<EventRow>('events');
  const empty = <Empty icon="activity" title={texts.installation.noEvents} />;
  return (
    <Panel>
      <WatchContent watched={events} empty={empty}>
        {(all) => {
          const own = all.filter((event) => isAbout(event, one)).toSorted((a, b) => (a.time < b.time ? 1 : -1));
          if (own.length === 0) return empty;
          return (
            <ul class="list">
              {own.map((event) => (
                <li key={`${event.time} ${event.kind} ${event.name} ${event.reason}`}>
                  <div class="row">
                    <span class={event.type === 'Warning' ? 'tone-warning' : 'tone-idle'}>
                      <Icon name={event.type === 'Warning' ? 'warning' : 'activity'} />
                    </span>
                    <strong>{event.reason}</strong>
                    <span class="muted grow truncate">
                      {event.kind} {event.name}
                      {event.count > 1 && ` × ${event.count}`}
                    </span>
                    <Ago time={event.time} />
                  </div>
                  <p class="message muted">{event.message}</p>
                </li>
              ))}
            </ul>
          );
        }}
      </WatchContent>
    </Panel>
  );
}
