import { testGroup } from './area-tests.ts';

await testGroup('access');
