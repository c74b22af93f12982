import { createStore, type Store } from './store.ts';

/** What the user chose for this browser. */
export interface Settings {
  readonly theme: 'system' | 'light' | 'dark';
  readonly density: 'comfortable' | 'compact';
}

const key = 'longshore-settings';
const first: Settings = { theme: 'system', density: 'comfortable' };

function stored(): Settings {
  try {
    return { ...first, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Settings>) };
  } catch {
    return first;
  }
}

/** The settings, applied to the page when they change. */
export const settings: Store<Settings> = createStore(stored());
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');

function apply(): void {
  const { theme, density } = settings.get();
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  document.documentElement.dataset['density'] = density;
  try {
    localStorage.setItem(key, JSON.stringify(settings.get()));
  } catch {
    // A browser that stores nothing has the settings until the page is closed.
  }
}

/** Applies the settings now, and after each change. */
export function startSettings(): void {
  apply();
  settings.subscribe(apply);
  prefersDark.addEventListener('change', apply);
}
