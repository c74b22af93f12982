import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Installation, PackageRow } from '../../server/wire.ts';
import { go, installationPath } from '../lib/router.ts';
import { settings } from '../lib/settings.ts';
import { packagePath, usePackages } from '../pages/catalog/packages.ts';
import { texts } from '../texts.ts';
import { Icon, type IconName } from './icon.tsx';
import { Dialog } from './parts.tsx';

interface Entry {
  readonly title: string;
  readonly hint: string;
  readonly icon: IconName;
  readonly act: () => void;
}

const maxShown = 12;

function pageEntries(): readonly Entry[] {
  const paths: Readonly<Record<string, string>> = { overview: '' };
  const pages = Object.entries(texts.pages).map(([key, title]): Entry => {
    return { title, hint: 'page', icon: 'command', act: () => go(`/${paths[key] ?? key}`) };
  });
  const setTheme = (theme: 'light' | 'dark'): void => settings.set({ ...settings.get(), theme });
  return [
    ...pages,
    { title: 'Dark theme', hint: 'look', icon: 'settings', act: () => setTheme('dark') },
    { title: 'Light theme', hint: 'look', icon: 'settings', act: () => setTheme('light') },
  ];
}

function entriesOf(installed: readonly Installation[], packages: readonly PackageRow[]): readonly Entry[] {
  const installations = installed.map((one): Entry => {
    const hint = `${one.kind}${one.namespace === '' ? '' : ` in ${one.namespace}`}`;
    return { title: one.name, hint, icon: 'boxes', act: () => go(installationPath(one)) };
  });
  const offers = packages.map((one): Entry => {
    const act = (): void => go(packagePath(one));
    return { title: one.title, hint: `${one.name} in ${one.catalogTitle}`, icon: 'catalog', act };
  });
  return [...pageEntries(), ...installations, ...offers];
}

/** Finds pages, installations, packages and actions. */
export function Palette({
  installed,
  onClose,
}: {
  readonly installed: readonly Installation[];
  readonly onClose: () => void;
}): JSX.Element {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const packages = usePackages();
  const words = text.toLowerCase().split(/\s+/);
  const found = entriesOf(installed, packages.value?.rows ?? [])
    .filter(({ title, hint }) => words.every((word) => `${title} ${hint}`.toLowerCase().includes(word)))
    .slice(0, maxShown);
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.act();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') run(found[chosen]);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    setChosen(Math.min(Math.max(0, chosen + step), found.length - 1));
  };
  return (
    <Dialog title={texts.app.find} onClose={onClose} className="palette">
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        aria-label={texts.app.find}
        placeholder={texts.app.find}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        // biome-ignore lint: the dialog is opened to type into it
        autoFocus
      />
      <ul id="palette-list" role="listbox" aria-label={texts.app.find} ref={list}>
        {found.map((entry, index) => (
          <li
            key={`${entry.hint} ${entry.title}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => run(entry)}
            onMouseMove={() => setChosen(index)}
          >
            <Icon name={entry.icon} />
            <span class="grow truncate">{entry.title}</span>
            <span class="muted truncate">{entry.hint}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
