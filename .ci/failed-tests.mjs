// usage: node .ci/failed-tests.mjs RESULTS.json: prints a line for each test that failed, with the first line of its error.
import { readFileSync } from 'node:fs';

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const { name, message, assertionResults } of testResults) {
  const file = name.slice(name.lastIndexOf('/test/') + 1);
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status === 'failed') print(`${file} > ${fullName}`, failureMessages[0]);
  }
  if (message) print(file, message); // the file could not be run
}

function print(what, error = '') {
  process.stdout.write(`  ${what}: ${error.split('\n', 1)[0].slice(0, 300)}\n`);
}
