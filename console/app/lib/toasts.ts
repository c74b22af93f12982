import { createStore, type Store } from './store.ts';

/** Short messages that vanish. */
export const toasts: Store<readonly { readonly id: number; readonly text: string }[]> = createStore<
  readonly { readonly id: number; readonly text: string }[]
>([]);

const shownMs = 4_000;
let last = 0;

/** Shows a message for a moment. */
export function notify(text: string): void {
  last += 1;
  const id = last;
  toasts.set([...toasts.get(), { id, text }]);
  setTimeout(() => toasts.set(toasts.get().filter((toast) => toast.id !== id)), shownMs);
}
