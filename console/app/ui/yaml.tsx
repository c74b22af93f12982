import { dump } from 'js-yaml';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

/** An object as YAML. */
export function Yaml({ value }: { readonly value: unknown }): JSX.Element {
  const text = useMemo(() => dump(value, { lineWidth: 100, noRefs: true }), [value]);
  return (
    <pre class="code" tabIndex={0}>
      {text}
    </pre>
  );
}
