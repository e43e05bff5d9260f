// usage: node .ci/slowest-files.mjs RESULTS.json: prints the twenty slowest files of a run.
import { readFileSync } from 'node:fs';

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const files = testResults
  .map(({ name, startTime, endTime }) => ({
    name: name.slice(name.lastIndexOf('/test/') + 1),
    seconds: (endTime - startTime) / 1_000,
  }))
  .sort((one, other) => other.seconds - one.seconds)
  .slice(0, 20);
const lines = files.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
process.stdout.write(`\nThe slowest files:\n${lines.join('\n')}\n`);
