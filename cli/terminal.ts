/** What a command prints to: a terminal gets a line that is redrawn while work goes on, anything else gets plain lines. */
export interface Terminal {
  /** A finished line. */
  line(text: string): void;
  /** What is going on now; replaces the progress shown before. On a pipe: a line, when `text` changes. */
  progress(text: string): void;
}

const clearLine = '\r\u001b[2K';

/** @param stream where to print; `isTTY` decides the form */
export function createTerminal(stream: NodeJS.WriteStream): Terminal {
  let shown = '';
  const clear = (): string => (stream.isTTY && shown !== '' ? clearLine : '');
  return {
    line: (text) => {
      stream.write(`${clear()}${text}\n`);
      shown = '';
    },
    progress: (text) => {
      if (text === shown) return;
      if (stream.isTTY) stream.write(`${clearLine}${text.slice(0, Math.max(20, stream.columns - 1))}`);
      else stream.write(`${text}\n`);
      shown = text;
    },
  };
}

const barWidth = 24;

/** `[######..................]  25% 1.2/4.8 MiB`; without a total: the count alone. */
export function formatProgress(doneBytes: number, totalBytes: number | undefined): string {
  const mib = (bytes: number): string => (bytes / (1024 * 1024)).toFixed(1);
  if (totalBytes === undefined || totalBytes === 0) return `${mib(doneBytes)} MiB`;
  const share = Math.min(1, doneBytes / totalBytes);
  const filled = Math.round(share * barWidth);
  const bar = '#'.repeat(filled).padEnd(barWidth, '.');
  return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)}% ${mib(doneBytes)}/${mib(totalBytes)} MiB`;
}
