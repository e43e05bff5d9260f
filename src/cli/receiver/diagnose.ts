import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { Command } from 'commander';
import { diagnoseWebhook, type WebhookDiagnosis } from '../../webhooks/index.js';
import { webhookSecret } from '../running-server/receiver.js';
import { failing, usable } from '../terminal/failures.js';
import { type CliCommand, styled, type Terminal } from '../terminal/terminal.js';

interface DiagnoseOptions {
  readonly body: string;
  readonly signature: string;
  readonly secret?: readonly string[];
  readonly json: boolean;
}

/** `messaging-automation diagnose`: explains why a delivery does not verify. */
export const diagnoseCommand: CliCommand = {
  define: () =>
    new Command('diagnose')
      .description('explain why the signature of a delivery is not valid')
      .requiredOption('--body <file>', 'file with the body as it was received; - for standard input')
      .requiredOption('--signature <value>', 'value of the header X-Service-Signature')
      .option(
        '--secret <secret>',
        "the subscription's secret; repeatable (default: $WEBHOOK_SECRET)",
        (secret: string, before: readonly string[] = []) => [...before, secret],
      )
      .option('--json', 'print the diagnosis as JSON', false),
  examples: `  $ messaging-automation diagnose --body delivery.bin --signature "$SIGNATURE"
  $ messaging-automation diagnose --body delivery.bin --signature "$SIGNATURE" --secret whsec_new --secret whsec_old
  $ messaging-automation diagnose --body - --signature "$SIGNATURE" --json < delivery.bin`,
  notes: `Prints whether the secret signed this delivery, and if not, why: the body was
parsed and serialized again, the secret ends with a newline, the signature is
base64, and so on. The most likely finding comes first. A proven finding is
certain: without that fault, the signature is valid.

Save the body byte for byte as your receiver gets it. The command needs no server,
and prints neither a secret nor the body. To keep the secret out of your shell's
history:
  $ read -rs WEBHOOK_SECRET && export WEBHOOK_SECRET

Exit codes:
  0  the signature is valid
  1  it is not
  2  the command line is wrong`,
  run: diagnose,
};

async function diagnose(
  terminal: Terminal,
  { body, signature, secret, json }: DiagnoseOptions,
): Promise<number> {
  const secrets = secret ?? [webhookSecret(terminal, undefined)];
  const reading = body === '-' ? buffer(terminal.streams().input) : readFile(body);
  const bytes = await reading.catch(failing('The body cannot be read.'));
  const diagnosis = usable(() => diagnoseWebhook(bytes, signature, secrets));
  terminal.print(...(json ? [JSON.stringify(diagnosis)] : linesOf(terminal, diagnosis, secrets.length)));
  return diagnosis.verified ? 0 : 1;
}

function linesOf(
  terminal: Terminal,
  { verified, secretIndex = 0, findings, complete }: WebhookDiagnosis,
  secrets: number,
): readonly string[] {
  const which = secrets === 1 ? 'the secret' : `secret ${secretIndex + 1} of ${secrets}`;
  if (verified) return [`${styled(terminal, 'green', 'valid')}: the body is signed with ${which}.`];
  const proven = findings.some((finding) => finding.proven);
  return [
    `${styled(terminal, 'red', 'not valid')}: ${proven ? `it was signed with ${which}, but` : 'it may be that'}`,
    ...findings.flatMap(({ fault, explanation, advice }) => [
      '',
      `  ${styled(terminal, 'bold', fault)}`,
      `  ${explanation}`,
      `  ${advice}`,
    ]),
    ...(complete
      ? []
      : ['', '  Not everything was tried: the body, or the number of secrets, is too large.']),
  ];
}
