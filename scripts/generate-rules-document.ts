/** Writes the table of admission rules in docs/monitoring.md, from the table that the webhook evaluates. */
import { readFile, writeFile } from 'node:fs/promises';
import { rulesDocument } from './rules-document.ts';

const begin = '<!-- begin of the admission rules: npm run generate -->\n';
const end = '<!-- end of the admission rules -->';
const path = new URL('../docs/monitoring.md', import.meta.url);
const text = await readFile(path, 'utf8');
const [before, after] = [text.indexOf(begin), text.indexOf(end)];
if (before === -1 || after === -1)
  throw new Error(`docs/monitoring.md: expected the lines "${begin.trim()}" and "${end}"`);
await writeFile(path, `${text.slice(0, before + begin.length)}${rulesDocument()}${text.slice(after)}`);
