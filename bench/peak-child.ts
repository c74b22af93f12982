/** Loaded into a program that is measured (`node --import`): prints its memory use at exit, as the last line of standard error. */
import { writeSync } from 'node:fs';
import { peakMemoryBytes } from './memory.ts';

process.on('exit', () => writeSync(2, `\npeak ${peakMemoryBytes()}\n`));
