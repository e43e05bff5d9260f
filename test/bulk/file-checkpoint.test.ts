import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BulkCheckpoint, MessagingAutomationError } from 'messaging-automation';
import { fileCheckpoint } from 'messaging-automation/bulk';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sends } from '../client/bulk/items.js';
import { refusal, sent } from '../client/bulk/responses.js';
import { responding } from '../client/bulk/runs.js';
import { rejection } from '../client/support/service.js';

const checkpoint: BulkCheckpoint = {
  version: 3,
  operation: 'transactional.send',
  done: [[0, 4]],
  rejected: [],
  unknown: [[5, 5]],
  keyed: [],
};

let home: string;
let path: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'file-checkpoint-'));
  path = join(home, 'job.json');
  return () => rm(home, { recursive: true });
});

describe('the file', () => {
  test('holds what was saved last, and nothing is left beside it', async () => {
    const store = fileCheckpoint(path);
    expect(await store.load()).toBeUndefined();
    await store.save({ ...checkpoint, done: [] });
    await store.save(checkpoint);

    expect(await store.load()).toEqual(checkpoint);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(checkpoint);
    expect(await readdir(home)).toEqual(['job.json']);
  });

  test('stays where it is when the process changes its working directory', async () => {
    const elsewhere = vi.spyOn(process, 'cwd').mockReturnValue(home);
    const store = fileCheckpoint('job.json');
    elsewhere.mockRestore();
    await store.open();
    await store.save(checkpoint);

    expect(await readdir(home)).toEqual(['job.json', 'job.json.lock']);
  });

  test.each(['', 'not JSON', '{"version":2'])(
    'that holds %j is an error, not a new beginning',
    async (text) => {
      await writeFile(path, text);
      const error = await rejection(
        responding(sent).sendMany(sends(3), { checkpoint: fileCheckpoint(path) }),
      );

      expect(error).toBeInstanceOf(MessagingAutomationError);
      expect(String(error)).toContain(path);
      expect(await readdir(home)).toEqual(['job.json']);
    },
  );

  test('that cannot be read or written is an error, with its cause', async () => {
    expect(await rejection(fileCheckpoint(home).load())).toMatchObject({ code: 'EISDIR' });
    const missing = fileCheckpoint(join(home, 'none', 'job.json'));
    expect(await rejection(missing.save(checkpoint))).toMatchObject({ code: 'ENOENT' });
  });

  test('carries its own job over runs, beside that of another file', async () => {
    const options = (job: string) => ({ checkpoint: fileCheckpoint(join(home, job)), concurrency: 1 });
    const { sendMany } = responding((_, number) =>
      number > 3 && number <= 5 ? refusal(402, 'quota_exceeded') : sent(),
    );
    expect(await sendMany(sends(9), options('a.json'))).toMatchObject({ done: 3 });
    expect(await sendMany(sends(9), options('b.json'))).toMatchObject({ done: 0 });

    expect(await sendMany(sends(9), options('a.json'))).toMatchObject({ done: 6, skipped: 3 });
    expect(await sendMany(sends(9), options('b.json'))).toMatchObject({ done: 9, skipped: 0 });
    expect(await readdir(home)).toEqual(['a.json', 'b.json']);
  });
});

test('the lock can be left out', async () => {
  await fileCheckpoint(path, { lock: false }).open();
  await fileCheckpoint(path, { lock: false }).open();

  expect(await readdir(home)).toEqual([]);
});
