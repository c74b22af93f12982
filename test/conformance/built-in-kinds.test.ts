import { testGroup } from './area-tests.ts';

await testGroup('built-in-kinds');
