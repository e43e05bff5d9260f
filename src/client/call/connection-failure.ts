import type { Redact } from '../../contract/redaction.js';
import { ConnectionError } from '../errors/connection-errors.js';
import { NotSentError } from '../errors/not-sent-error.js';
import { describeOutcome, type Failure } from './failure.js';

/** Codes that can only come up before a connection stands. */
const codesBeforeConnecting: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Codes that say that the server's certificate was refused: before any request, and not for once only. */
const certificateCode =
  /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF|HOSTNAME_MISMATCH)/;

/** Reads what a transport rejected with, and keeps of it a code and a redacted message alone. */
export function connectionFailure(thrown: unknown, redact: Redact): Failure {
  const chain = causeChain(thrown);
  const refusedCertificate = chain.some((error) => certificateCode.test(codeOf(error) ?? ''));
  const notSent = refusedCertificate || chain.some(happenedBeforeConnecting);
  const code = chain.map(codeOf).findLast((found) => found !== undefined);
  const innermost = redact(messageOf(chain.at(-1)));
  return {
    outcome: notSent ? 'not_sent' : 'unknown',
    temporary: !refusedCertificate,
    toError(facts) {
      const what = notSent ? 'could not reach the service' : 'lost its connection to the service';
      const advice = refusedCertificate
        ? "The server's certificate was not accepted: check the base URL and the certificates this machine trusts."
        : notSent
          ? 'Check the base URL and the network.'
          : '';
      const sentences = [
        `${facts.operation} ${what}${code ? ` (${code})` : ''}.`,
        describeOutcome(facts),
        advice,
      ];
      return new ConnectionError(sentences.filter(Boolean).join(' '), {
        ...facts,
        code,
        cause: Object.assign(new Error(innermost), code && { code }),
      });
    },
  };
}

/** From the error thrown down to its innermost cause; five are more than any runtime nests. */
function causeChain(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let error = thrown; error instanceof Error && chain.length < 5; error = error.cause) chain.push(error);
  return chain.length > 0 ? chain : [thrown];
}

function happenedBeforeConnecting(error: unknown): boolean {
  if (error instanceof NotSentError) return true;
  // Node tries several addresses at once; each must have failed before connecting.
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every(happenedBeforeConnecting);
  // Deno gives no code, only this message.
  if (messageOf(error).includes('client error (Connect)')) return true;
  return property(error, 'syscall') === 'connect' || codesBeforeConnecting.includes(codeOf(error));
}

function codeOf(error: unknown): string | undefined {
  const code = property(error, 'code');
  return typeof code === 'string' && /^\w+$/.test(code) ? code : undefined;
}

function property(error: unknown, name: string): unknown {
  return error instanceof Error ? Reflect.get(error, name) : undefined;
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return message || 'The connection failed.';
}
