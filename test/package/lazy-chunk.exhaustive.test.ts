import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { run } from './commands.js';

test('a send whose HTTP library cannot be loaded has sent nothing, and the next one tries to load it again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'messaging-automation-chunk-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(repositoryFile('dist'), join(folder, 'dist'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const chunk = await kyIn(join(folder, 'dist'));
  await writeFile(
    join(folder, 'main.js'),
    `import { renameSync } from 'node:fs';
     import { MessagingAutomation } from './dist/index.js';
     const fetch = async () => new Response('{"success":true}');
     const messaging = new MessagingAutomation({ apiKey: 'key', baseUrl: 'https://a.test/api', fetch, retries: 0 });
     const send = () => messaging.transactional.send({ phone: '+15551234567', templateId: 't' })
       .then(({ success }) => success, ({ name, outcome }) => name + ' ' + outcome);
     renameSync(process.argv[2], process.argv[2] + '.gone');
     const first = await send();
     renameSync(process.argv[2] + '.gone', process.argv[2]);
     console.log(JSON.stringify([first, await send()]));`,
  );
  expect(JSON.parse(await run(folder, process.execPath, 'main.js', chunk))).toEqual([
    'ConnectionError not_sent',
    true,
  ]);
});

/** The file with ky, which stands in a chunk of its own; its name is held by the size budgets as well. */
async function kyIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => /^ky-transport-.*\.js$/.test(name));
  expect(names).toHaveLength(1);
  return join(folder, ...names);
}
