import { useEffect } from 'preact/hooks';
import { go } from './router.ts';

const targets: Readonly<Record<string, string>> = {
  o: '/',
  i: '/installed',
  d: '/dependencies',
  c: '/catalog',
  r: '/resolve',
  u: '/updates',
  b: '/bench',
  s: '/settings',
};
const sequenceMs = 1_200;

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable);
}

function press(selector: string): void {
  const element = document.querySelector<HTMLElement>(selector);
  if (element instanceof HTMLInputElement) element.focus();
  else element?.click();
}

/** What a key does by itself. */
const actions: Readonly<Record<string, () => void>> = {
  '/': () => press('[data-key="search"]'),
  y: () => press('[data-key="yaml"]'),
  v: () => press('[data-key="view"]'),
  c: () => press('[data-command] button'),
};

/** The keys of every page. */
export function useKeys({ onPalette, onHelp }: { readonly onPalette: () => void; readonly onHelp: () => void }): void {
  useEffect(() => {
    let leadMs = 0;
    const listen = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isPlain || isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
      const target = targets[event.key];
      const isSecond = Date.now() - leadMs < sequenceMs;
      leadMs = event.key === 'g' ? Date.now() : 0;
      const act = isSecond && target !== undefined ? () => go(target) : event.key === '?' ? onHelp : actions[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
