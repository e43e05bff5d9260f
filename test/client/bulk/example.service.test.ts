import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { bundle } from '../../run/bundle.js';
import { answer, type Behaviour } from '../support/behaviours.js';
import { apiKey } from '../support/samples.js';
import { startService } from '../support/service.js';

test('examples/bulk-import survives a 402 and a kill, and sends nothing twice', {
  timeout: 60_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bulk-import-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'contacts.csv');
  await copyFile(repositoryFile('examples/bulk-import/contacts.csv'), file);

  const upserted: string[] = [];
  const sent: string[] = [];
  /** What becomes of a send once these many have been accepted. */
  let trouble: { readonly after: number; readonly behave: Behaviour } | undefined;
  const service = await startService((response, request, number) => {
    const { phone }: { phone: string } = JSON.parse(request.body);
    if (request.url.endsWith('/contacts')) {
      upserted.push(phone);
      return answer(201, { id: `c${number}`, properties: { phone } })(response, request, number);
    }
    if (trouble !== undefined && sent.length >= trouble.after)
      return trouble.behave(response, request, number);
    sent.push(phone);
    return answer(200, { success: true })(response, request, number);
  });
  const program = await bundle({ file: 'examples/bulk-import/main.ts' });
  let kill = () => {};
  const run = () =>
    new Promise<{ readonly killed: boolean; readonly code: unknown; readonly output: string }>((resolve) => {
      const child = execFile(
        process.execPath,
        [program, file],
        {
          cwd: repositoryFile('.'),
          env: {
            ...process.env,
            MESSAGING_AUTOMATION_API_KEY: apiKey,
            MESSAGING_AUTOMATION_BASE_URL: service.baseUrl,
          },
        },
        (error, stdout, stderr) =>
          resolve({ killed: error?.killed ?? false, code: error?.code ?? 0, output: stdout + stderr }),
      );
      kill = () => child.kill('SIGKILL');
    });

  trouble = { after: 2, behave: answer(402, { error: { code: 'quota_exceeded' } }) };
  const outOfQuota = await run();
  expect(outOfQuota.output).toContain('import: 7 done, 1 rejected, 0 unknown, 0 done earlier');
  expect(outOfQuota.output).toContain('quota_exceeded. Run it again to go on.');
  expect(outOfQuota.code).toBe(1);
  expect(sent).toHaveLength(2);

  trouble = {
    after: 4,
    behave: (_, request) => {
      const { phone }: { phone: string } = JSON.parse(request.body);
      sent.push(phone); // it was carried out, and nobody lives to hear of it
      kill();
    },
  };
  expect((await run()).killed).toBe(true);

  trouble = undefined;
  const last = await run();
  expect(last.code).toBe(0);
  expect(last.output).toContain('import: 0 done, 0 rejected, 0 unknown, 8 done earlier');
  expect(last.output).toMatch(/sends, row \d, unknown: transactional\.send was begun for this item/);

  expect(new Set(sent).size).toBe(sent.length);
  expect(upserted).toHaveLength(7);
});
