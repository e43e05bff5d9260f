import { expect, test } from 'vitest';
import { differences } from './differences.js';
import { createBridgedEnvironment } from './environments/bridged.js';
import { createHandWrittenEnvironment } from './environments/hand-written.js';
import { createInProcessEnvironment } from './environments/in-process.js';
import { createSocketEnvironment } from './environments/socket.js';
import { contractCases, describeContract, describeEndpoints } from './suite.js';
import { allAtOnce, variants } from './variants.js';

for (const [name, createEnvironment] of [
  ['by handlers written from the document alone', createHandWrittenEnvironment],
  ['by the reference server in MSW', createBridgedEnvironment],
  ['by the reference server on a socket', createSocketEnvironment],
] as const) {
  describeContract(name, createEnvironment);
  describeEndpoints(name, createEnvironment);
}

// contract.exhaustive.test.ts has each gap by itself.
describeContract(
  `with ${allAtOnce.name}`,
  createInProcessEnvironment(allAtOnce.specGaps),
  allAtOnce.specGaps,
);

test('what is to differ names a case that there is, and a value that is tried', () => {
  const names = contractCases.map(({ name }) => name);
  for (const { name, values, cases } of differences) {
    expect(names).toEqual(expect.arrayContaining([...cases]));
    const tried = variants.map(({ specGaps }) => specGaps[name]);
    expect(tried).toEqual(expect.arrayContaining([...values]));
  }
});
