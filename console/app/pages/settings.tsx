import type { JSX } from 'preact';
import { request } from '../lib/api.ts';
import { session } from '../lib/session.ts';
import { type Settings, settings } from '../lib/settings.ts';
import { useStore } from '../lib/store.ts';
import { notify } from '../lib/toasts.ts';
import { texts } from '../texts.ts';
import { messageOf } from '../ui/action.tsx';
import { Icon } from '../ui/icon.tsx';
import { Keys } from '../ui/key-list.tsx';
import { Panel } from '../ui/parts.tsx';

function Choice<Key extends keyof Settings>(props: {
  readonly name: Key;
  readonly title: string;
  readonly choices: Readonly<Record<Settings[Key], string>>;
}): JSX.Element {
  const { name, title, choices } = props;
  const current = useStore(settings);
  return (
    <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
      <legend>
        <h3>{title}</h3>
      </legend>
      <div class="row wrap">
        {(Object.entries(choices) as [Settings[Key], string][]).map(([value, text]) => (
          <label key={value} class="check">
            <input
              type="radio"
              name={name}
              checked={current[name] === value}
              onChange={() => settings.set({ ...current, [name]: value })}
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Who is signed in, how the console looks, and its keys. */
export function SettingsPage(): JSX.Element {
  const who = useStore(session);
  const signOut = (): void => {
    request('/api/session', { method: 'DELETE' }).then(
      () => session.set(null),
      (thrown: unknown) => notify(messageOf(thrown)),
    );
  };
  return (
    <div class="stack">
      <h1>{texts.pages.settings}</h1>
      {who && (
        <Panel
          title={texts.settings.identity}
          aside={
            <button type="button" class="button" onClick={signOut}>
              <Icon name="leave" />
              {texts.app.signOut}
            </button>
          }
        >
          <dl class="definition body">
            <dt>{texts.settings.user}</dt>
            <dd>{who.user}</dd>
            <dt>{texts.settings.groups}</dt>
            <dd>{who.groups.join(', ')}</dd>
            <dt>{texts.settings.signedInBy}</dt>
            <dd>{texts.settings.methods[who.signedInBy]}</dd>
            <dt>{texts.settings.server}</dt>
            <dd class="mono">{who.server}</dd>
            <dt>{texts.settings.version}</dt>
            <dd>{who.version}</dd>
          </dl>
        </Panel>
      )}
      <Panel title={texts.settings.look}>
        <div class="body stack">
          <Choice name="theme" title={texts.settings.theme} choices={texts.settings.themes} />
          <Choice name="density" title={texts.settings.density} choices={texts.settings.densities} />
        </div>
      </Panel>
      <Panel title={texts.settings.keys}>
        <div class="body">
          <Keys />
        </div>
      </Panel>
    </div>
  );
}
