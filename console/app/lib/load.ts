import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useStore } from './store.ts';
import { returns } from './watches.ts';

/** What a request has come to. The value of an earlier one stays until the next is there. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly thrown: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Loads a value when the view is shown, and again when `key` changes or a lost connection is back. An empty key loads nothing. */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({
    value: undefined,
    thrown: undefined,
    isLoading: key !== '',
  });
  const [count, setCount] = useState(0);
  const returned = useStore(returns);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    if (key === '') return undefined;
    const stop = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    latest.current(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setState({ value, thrown: undefined, isLoading: false });
      },
      (thrown: unknown) => {
        if (!stop.signal.aborted) setState({ value: undefined, thrown, isLoading: false });
      },
    );
    return () => stop.abort();
  }, [key, count, returned]);
  const reload = useCallback(() => setCount((one) => one + 1), []);
  return { ...state, reload };
}

/** Loads again when `mark` changes, once what is being loaded is there: for what is derived from objects that are watched. */
export function useReloadOn(mark: string, { isLoading, reload }: Pick<Loaded<unknown>, 'isLoading' | 'reload'>): void {
  const loaded = useRef(mark);
  useEffect(() => {
    if (isLoading || loaded.current === mark) return;
    loaded.current = mark;
    reload();
  }, [mark, isLoading]);
}

/** Loads again now and then while the page is in view, unless it is being loaded: for what is not watched. */
export function useRefresh(
  { isLoading, reload }: Pick<Loaded<unknown>, 'isLoading' | 'reload'>,
  everyMs: number,
  isActive = true,
): void {
  const busy = useRef(isLoading);
  busy.current = isLoading;
  useEffect(() => {
    const timer = setInterval(() => {
      if (isActive && !busy.current && !document.hidden) reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [isActive, everyMs, reload]);
}
