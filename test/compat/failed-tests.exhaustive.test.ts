import { describeFailedTests, failingSuite } from '../package/failed-tests.js';
import { testProject } from '../package/project.js';

describeFailedTests(testProject('untypedPackage'), [
  {
    name: 'Jest',
    file: 'jest.test.cjs',
    content: `
const assert = require('node:assert/strict');
const { createReferenceServer, keepOnFailure } = require('messaging-automation/server');
${failingSuite}
test('by expect', keepOnFailure(server, async () => expect('Ada').toBe('Grace'), { directory: 'of-expect' }));`,
    command: ['node_modules/jest/bin/jest.js', '--rootDir=.', '--testMatch=**/*.test.cjs'],
    package: 'jest',
    prints: /serve --port 0 --state of-expect\/by-expect-\w+\.failed\.json/,
  },
]);
