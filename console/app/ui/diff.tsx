import type { JSX } from 'preact';

function classOf(line: string): string {
  if (line.startsWith('@@') || line.startsWith('+++') || line.startsWith('---')) return 'hunk';
  if (line.startsWith('+')) return 'plus';
  return line.startsWith('-') ? 'minus' : '';
}

/** A unified diff. */
export function Diff({ text }: { readonly text: string }): JSX.Element {
  const lines = text.trimEnd().split('\n');
  return (
    <div class="diff mono" tabIndex={0} role="group" aria-label="Difference">
      {lines.map((line, index) => (
        <span key={index} class={classOf(line)}>
          {line === '' ? ' ' : line}
        </span>
      ))}
    </div>
  );
}
