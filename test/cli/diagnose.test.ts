import { signWebhook } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import type { TerminalOptions } from './fake-terminal.js';
import { runCommand, temporaryFile } from './served.js';

const secret = 'whsec_of_the_test';
const sent = '{"event":"message.received", "data":{"body":"Grüße"}}';
const signature = signWebhook(sent, secret);

const diagnose = (words: readonly string[], options: TerminalOptions = {}) =>
  runCommand(['diagnose', ...words], { env: {}, ...options });

const bodyFile = (body: string | Uint8Array) => temporaryFile('delivery.bin', body);

describe('diagnose', () => {
  test('ends with 0 for a valid delivery', async () => {
    const words = ['--body', await bodyFile(sent), '--signature', signature, '--secret', secret];
    expect(await diagnose(words)).toMatchObject({
      exitCode: 0,
      output: 'valid: the body is signed with the secret.',
      complaints: '',
    });
  });

  test('takes the body from standard input, and the secret from the environment', async () => {
    const options = { env: { WEBHOOK_SECRET: secret }, input: sent };
    expect(await diagnose(['--body', '-', '--signature', signature], options)).toMatchObject({ exitCode: 0 });
  });

  test('says which of several secrets it was', async () => {
    const secrets = ['--secret', 'whsec_new', '--secret', secret];
    const words = ['--body', await bodyFile(sent), '--signature', signature, ...secrets];
    expect(await diagnose(words)).toMatchObject({
      exitCode: 0,
      output: 'valid: the body is signed with secret 2 of 2.',
    });
  });

  test('ends with 1 and says what is proven, without secret, signature or body', async () => {
    const compact = JSON.stringify(JSON.parse(sent));
    const written = JSON.stringify(JSON.parse(sent), undefined, 2);
    const words = ['--body', await bodyFile(written), '--signature', signWebhook(compact, secret)];
    const { exitCode, output } = await diagnose([...words, '--secret', `${secret}\n`]);
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^not valid: it was signed with the secret, but\n\n {2}body_rewritten\n {2}\S/);
    expect(output).toContain('\n  secret_white_space\n');
    for (const hidden of [secret, signWebhook(compact, secret), 'Grüße'])
      expect(output).not.toContain(hidden);
  });

  test('judges the bytes as they are', async () => {
    const bytes = Buffer.concat([Buffer.from(sent), Buffer.from([0xff])]);
    const words = ['--body', await bodyFile(bytes), '--signature', signWebhook(bytes, secret)];
    expect(await diagnose([...words, '--secret', secret])).toMatchObject({ exitCode: 0 });
  });

  test('prints the diagnosis as JSON', async () => {
    const words = ['--body', await bodyFile(`${sent}\n`), '--signature', signature, '--secret', secret];
    const { exitCode, output } = await diagnose([...words, '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      verified: false,
      secretIndex: 0,
      findings: [{ fault: 'body_white_space', proven: true }],
    });
  });
});
