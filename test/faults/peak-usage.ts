import { readdir, stat } from 'node:fs/promises';

const mebibyte = 1024 * 1024;
const intervalMs = 200;

async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const settled = await Promise.allSettled(files.map(({ parentPath, name }) => stat(`${parentPath}/${name}`)));
  return settled.reduce((sum, one) => sum + (one.status === 'fulfilled' ? one.value.blocks * 512 : 0), 0);
}

/** Looks at a folder all the time; the answer gives the most that it had, and the most memory that this process had. */
export function measurePeaks(
  folder: string,
): () => { readonly peakMebibytes: number; readonly peakDiskMebibytes: number } {
  let peakBytes = 0;
  const timer = setInterval(() => {
    void sizeOf(folder).then((bytes) => {
      peakBytes = Math.max(peakBytes, bytes);
    });
  }, intervalMs);
  return () => {
    clearInterval(timer);
    return { peakMebibytes: process.resourceUsage().maxRSS / 1024, peakDiskMebibytes: peakBytes / mebibyte };
  };
}
