import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { bundle } from '../../run/bundle.js';
import { reply } from '../support/behaviours.js';
import { apiKey } from '../support/samples.js';
import { startService } from '../support/service.js';

test('examples/bulk-import goes on after a 402, and sends nothing twice', {
  timeout: 60_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bulk-import-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'contacts.csv');
  await copyFile(repositoryFile('examples/bulk-import/contacts.csv'), file);

  const upserted: string[] = [];
  const sent: string[] = [];
  let quota = 2;
  const service = await startService((response, request, number) => {
    const { phone }: { phone: string } = JSON.parse(request.body);
    const isUpsert = request.url.endsWith('/contacts');
    if (!isUpsert && sent.length >= quota)
      return reply(402, { error: { code: 'quota_exceeded' } })(response, request, number);
    (isUpsert ? upserted : sent).push(phone);
    const [status, body] = isUpsert
      ? [201, { id: `c${number}`, properties: { phone } }]
      : [200, { success: true }];
    return reply(status, body)(response, request, number);
  });
  const program = await bundle({ file: 'examples/bulk-import/main.ts' });
  const env = {
    ...process.env,
    MESSAGING_AUTOMATION_API_KEY: apiKey,
    MESSAGING_AUTOMATION_BASE_URL: service.baseUrl,
  };
  const run = () =>
    new Promise<{ readonly code: unknown; readonly output: string }>((resolve) => {
      const options = { cwd: repositoryFile('.'), env };
      execFile(process.execPath, [program, file], options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      );
    });

  const outOfQuota = await run();
  expect(outOfQuota.output).toContain('import: 7 done, 1 rejected, 0 unknown, 0 done earlier');
  expect(outOfQuota.output).toContain('quota_exceeded. Run it again to go on.');
  expect(outOfQuota.code).toBe(1);
  expect(sent).toHaveLength(2);

  quota = 100;
  const last = await run();
  expect(last.code).toBe(0);
  expect(last.output).toContain('import: 0 done, 0 rejected, 0 unknown, 8 done earlier');
  expect(new Set(sent).size).toBe(sent.length);
  expect(upserted).toHaveLength(7);
});
