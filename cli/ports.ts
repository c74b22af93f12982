import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The port that a server had last time, so that its address stays good over a restart; 0 when none is known. */
export async function rememberedPort(folder: string, name: string): Promise<number> {
  try {
    return Number.parseInt(await readFile(join(folder, name), 'utf8'), 10) || 0;
  } catch {
    return 0;
  }
}

export async function rememberPort(folder: string, name: string, port: number): Promise<void> {
  await writeFile(join(folder, name), String(port));
}

/** Whether another process listens there. */
export function isPortTaken(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
