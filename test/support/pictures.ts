import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Pictures of the stories. `LONGSHORE_PICTURES=docs/console` makes those of the documents again. */
const folder = process.env['LONGSHORE_PICTURES'] ?? join('node_modules', '.cache', 'console-pictures');

/** Keeps a picture of a page. */
export async function picture(page: Page, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  await writeFile(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}
