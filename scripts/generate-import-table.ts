/** Writes the import table of ARCHITECTURE.md from what the folders declare in their doors. */
import { readFile, writeFile } from 'node:fs/promises';
import { importTableDocument } from './import-table.ts';

const begin = '<!-- begin of the import table: npm run generate -->';
const end = '<!-- end of the import table -->';
const path = new URL('../ARCHITECTURE.md', import.meta.url);
const text = await readFile(path, 'utf8');
const [before, after] = [text.indexOf(begin), text.indexOf(end)];
if (before === -1 || after === -1) throw new Error(`ARCHITECTURE.md: expected the lines "${begin}" and "${end}"`);
await writeFile(path, `${text.slice(0, before + begin.length)}\n${importTableDocument()}\n${text.slice(after)}`);
