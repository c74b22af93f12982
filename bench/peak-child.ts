/** Loaded into a program that is measured (`node --import`): says at its end, as the last line of standard error, what memory it took. */
import { writeSync } from 'node:fs';
import { peakMemoryBytes } from './memory.ts';

process.on('exit', () => writeSync(2, `\npeak ${peakMemoryBytes()}\n`));
