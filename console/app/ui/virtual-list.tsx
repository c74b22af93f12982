import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const virtualFrom = 300;
const spare = 12;

/** Rows of one height. Of more than 300 only those in view are in the document. */
export function VirtualList<T>(props: {
  readonly rows: readonly T[];
  readonly rowHeight: number;
  readonly label: string;
  readonly children: (row: T) => ComponentChildren;
}): JSX.Element {
  const { rows, rowHeight, label, children } = props;
  const ref = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('resize', measure);
    return () => {
      element.removeEventListener('scroll', measure);
      window.removeEventListener('resize', measure);
    };
  }, [rows.length > virtualFrom]);
  if (rows.length <= virtualFrom) {
    return (
      <div role="group" aria-label={label}>
        {rows.map((row) => children(row))}
      </div>
    );
  }
  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + spare);
  return (
    <div class="virtual" ref={ref} tabIndex={0} role="group" aria-label={label}>
      <div style={{ height: `${first * rowHeight}px` }} />
      {rows.slice(first, last).map((row) => children(row))}
      <div style={{ height: `${(rows.length - last) * rowHeight}px` }} />
    </div>
  );
}
