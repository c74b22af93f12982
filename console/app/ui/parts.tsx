import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { StatusWord, StepState } from '../../server/wire.ts';
import { useStore } from '../lib/store.ts';
import { now, relative } from '../lib/time.ts';
import { notify } from '../lib/toasts.ts';
import { texts } from '../texts.ts';
import { Icon, type IconName } from './icon.tsx';

type Tone = 'ok' | 'progress' | 'warning' | 'danger' | 'idle';

const looks: Readonly<Record<StatusWord, readonly [Tone, IconName]>> = {
  Healthy: ['ok', 'healthy'],
  Progressing: ['progress', 'loading'],
  Waiting: ['warning', 'clock'],
  Degraded: ['warning', 'warning'],
  Failed: ['danger', 'failed'],
  Paused: ['idle', 'paused'],
  Deleting: ['progress', 'trash'],
  Unknown: ['idle', 'unknown'],
};

/** A status word with its one color and icon. */
export function Status({
  word,
  isPill = false,
  text,
}: {
  readonly word: StatusWord;
  readonly isPill?: boolean;
  /** In place of the word, where it means something else here. */
  readonly text?: string;
}): JSX.Element {
  const [tone, icon] = looks[word];
  return (
    <span class={`status tone-${tone} ${isPill ? 'pill' : ''}`}>
      <Icon name={icon} className={icon === 'loading' ? 'spin' : ''} />
      {text ?? texts.status[word]}
    </span>
  );
}

const stepLooks: Readonly<Record<StepState, readonly [Tone, IconName, string]>> = {
  done: ['ok', 'healthy', 'done'],
  running: ['progress', 'loading', 'running'],
  waiting: ['warning', 'clock', 'waiting'],
  failed: ['danger', 'failed', 'failed'],
  idle: ['idle', 'unknown', 'not begun'],
};

/** The icon of a step, with a word for screen readers. */
export function StepIcon({ state }: { readonly state: StepState }): JSX.Element {
  const [tone, icon, word] = stepLooks[state];
  return (
    <span class={`tone-${tone}`}>
      <Icon name={icon} className={icon === 'loading' ? 'spin' : ''} />
      <span class="visually-hidden">{word}</span>
    </span>
  );
}

const healthWords: Readonly<Record<string, StatusWord>> = {
  Current: 'Healthy',
  InProgress: 'Progressing',
  Terminating: 'Deleting',
  Failed: 'Failed',
  Unavailable: 'Unknown',
};

/** The word for the health of one object. */
export function healthWord(state: string): StatusWord {
  return healthWords[state] ?? 'Unknown';
}

/** The icon of a status without its word, which screen readers get. */
export function StatusIcon({ word }: { readonly word: StatusWord }): JSX.Element {
  const [tone, icon] = looks[word];
  return (
    <span class={`tone-${tone}`} title={texts.status[word]}>
      <Icon name={icon} className={icon === 'loading' ? 'spin' : ''} />
      <span class="visually-hidden">{texts.status[word]}</span>
    </span>
  );
}

/** A relative time that ticks, with the absolute one on hover. */
export function Ago({ time, suffix = '' }: { readonly time: string; readonly suffix?: string }): JSX.Element | null {
  const nowMs = useStore(now);
  const text = relative(time, nowMs);
  if (text === '') return null;
  return (
    <time class="muted nowrap" dateTime={time} title={new Date(time).toLocaleString()}>
      {text}
      {suffix}
    </time>
  );
}

/** Copies a text, and reports it. */
export function copyText(text: string): void {
  void navigator.clipboard.writeText(text).then(() => notify(texts.app.copied));
}

/** A command that a user can copy. `c` copies the first that is shown. */
export function CommandLine({ command }: { readonly command: string }): JSX.Element {
  return (
    <div class="command" data-command={command}>
      <code>{command}</code>
      <button type="button" class="button quiet icon-only" onClick={() => copyText(command)} title={texts.app.copied}>
        <Icon name="copy" />
        <span class="visually-hidden">Copy the command</span>
      </button>
    </div>
  );
}

/** A digest cut to twelve characters, whole on hover. */
export function Reference({ text }: { readonly text: string }): JSX.Element {
  return (
    <span class="mono break" title={text}>
      {text.replace(/(sha256:[0-9a-f]{12})[0-9a-f]+/g, '$1…')}
    </span>
  );
}

/** A dialog of the browser: it traps the focus, closes with Escape, and gives the focus back. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly className?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const isRemoved = useRef(false);
  const { title, onClose, className = '', children } = props;
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    if (dialog !== null && !dialog.open) dialog.showModal();
    return () => {
      isRemoved.current = true;
      // The browser gives the focus back where a dialog is closed, and not where it is removed; while it is open nothing else takes the focus.
      dialog?.close();
      const isLost = document.activeElement === document.body || dialog?.contains(document.activeElement) === true;
      if (isLost && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={className}
      aria-label={title}
      onClose={() => {
        if (!isRemoved.current) onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}

/** A panel with a title. */
export function Panel(props: {
  readonly title?: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, aside, children } = props;
  return (
    <section class="panel">
      {title !== undefined && (
        <header>
          <h2 class="grow">{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  );
}

/** A box with a message that matters. */
export function Notice(props: {
  readonly tone: 'danger' | 'warning' | 'info';
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { tone, title, children } = props;
  return (
    <div class={`notice ${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon name={tone === 'info' ? 'info' : 'warning'} />
      <div class="stack tight">
        <strong class="message">{title}</strong>
        {children}
      </div>
    </div>
  );
}

/** Marks itself for a moment when `value` changes. */
export function Changing({
  value,
  children,
}: {
  readonly value: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const before = useRef(value);
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (before.current !== value) setCount((one) => one + 1);
    before.current = value;
  }, [value]);
  return (
    <span key={count} class={count > 0 ? 'changed' : ''}>
      {children}
    </span>
  );
}
