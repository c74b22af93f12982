/** What a command prints to: a terminal gets a line that is redrawn while work goes on, anything else gets plain lines. */
export interface Terminal {
  /** A finished line. */
  line(text: string): void;
  /** The current activity; replaces the progress shown before. On a pipe: a line, when `text` changes. */
  progress(text: string): void;
  /** Takes the progress that is shown away. */
  clear(): void;
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
    clear: () => {
      if (clear() !== '') stream.write(clearLine);
      shown = '';
    },
  };
}
