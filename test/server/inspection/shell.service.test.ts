import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { phone, startServer } from '../support/reference.js';

test('a shell takes the copied command literally, whatever the contact wrote', async () => {
  const server = startServer();
  const body = 'It\'s Ada\'s $HOME and `id` and \\ "x"\n!';
  await server.simulate.inboundMessage({ phone, body });
  const { curl } = (await server.journal.inspect(1)).copies;
  const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${curl}`], {
    env: { MESSAGING_AUTOMATION_API_KEY: 'the_key' },
  });
  expect(stdout.split('\0')).toEqual([
    'http://127.0.0.1:4010/control/inbound-messages',
    '-H',
    'Authorization: Bearer the_key',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify({ phone, body }),
    '',
  ]);
});
