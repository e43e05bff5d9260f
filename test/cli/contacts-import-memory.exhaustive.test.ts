import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { run } from '../../src/cli/program.js';
import { FakeTerminal } from './fake-terminal.js';
import { serveRequests } from './http-servers.js';
import { temporaryFile } from './served.js';

const megabyte = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Weighs what the process holds at each twentieth of an import. */
class WeighingTerminal extends FakeTerminal {
  /** Machine code as it is, and what is left on the heap where garbage was collected, in MB. */
  readonly weights: { readonly code: number; readonly held: number | undefined }[] = [];

  override complain(text: string): void {
    super.complain(text);
    const code = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'code_space');
    // Not each time, for a collection also lets go of code that is used no more.
    const collects = this.weights.length % 10 === 9;
    if (collects) collectGarbage();
    this.weights.push({
      code: (code?.space_used_size ?? Number.NaN) / megabyte,
      held: collects ? process.memoryUsage().heapUsed / megabyte : undefined,
    });
  }
}

/** A deployment that keeps nothing, and responds as the service does. */
function forgetfulDeployment(): Promise<string> {
  let requests = 0;
  return serveRequests((request, response) => {
    requests += 1;
    request.resume().on('end', () => {
      response.writeHead(201, { 'Content-Type': 'application/json', 'X-Request-Id': `request_${requests}` });
      response.end('{"id":"contact_1","properties":{}}');
    });
  });
}

test('an import holds no more at its end than half way, and makes no machine code for its rows', {
  timeout: 120_000,
}, async () => {
  const count = 4_000;
  const rows = Array.from({ length: count }, (_, row) => `+1555${1_000_000 + row},Ada ${row}`);
  const file = await temporaryFile('contacts.csv', `phone,name\n${rows.join('\n')}\n`);
  const terminal = new WeighingTerminal({ env: { MESSAGING_AUTOMATION_API_KEY: 'test_key' } });
  expect(await run(['contacts', 'import', file, '--url', await forgetfulDeployment()], terminal)).toBe(0);
  expect(terminal.output).toBe(`${count} rows: ${count} imported, 0 rejected.`);
  expect(terminal.weights).toHaveLength(20);
  const [halfWay, atEnd] = terminal.weights.flatMap(({ held }) => held ?? []);
  expect((atEnd ?? Number.NaN) - (halfWay ?? Number.NaN)).toBeLessThan(5);
  const code = terminal.weights.map((weight) => weight.code);
  expect(Math.max(...code) - Math.min(...code)).toBeLessThan(8);
});
