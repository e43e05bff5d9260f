import type { Redact } from '../../contract/redaction.js';
import { isObject } from '../../foundation/is-object.js';
import { ConnectionError, NotSentError } from '../errors/no-response-errors.js';
import { type CallFacts, describeOutcome, type Outcome } from '../errors/request-error.js';

/** Codes that occur only before a connection is established. */
const codeBeforeConnecting = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;

/**
 * Codes of a TLS handshake that failed before any request: the server responded without TLS, or knows no common version.
 * OpenSSL 3.2 renamed the last alert.
 */
const handshakeCode =
  /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|TLSV1_ALERT_PROTOCOL_VERSION|SSL(V3|\/TLS)_ALERT_HANDSHAKE_FAILURE)$/;

/** Codes of a rejected server certificate. No request was sent, and a retry fails again. */
const certificateCode =
  /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF|HOSTNAME_MISMATCH)/;

/**
 * Interprets the error of a transport: what became of the request, whether a retry may succeed, and the error of the call. It keeps
 * only the code and a redacted message.
 *
 * @param outcome The outcome that the attempt knows: `not_sent` if the transport has not started to send the request.
 */
export function connectionFailure(thrown: unknown, outcome: Outcome, redact: Redact) {
  const chain = causeChain(thrown);
  const refusedCertificate = chain.some((error) => certificateCode.test(codeOf(error)));
  // No request to this address can succeed: the port does not support TLS, or `fetch` blocks the port.
  const wrongAddress = chain.some(
    (error) => handshakeCode.test(codeOf(error)) || messageOf(error) === 'bad port',
  );
  const proxyStatus = chain.map(statusOfProxy).find(Boolean);
  const notSent =
    outcome === 'not_sent' ||
    refusedCertificate ||
    wrongAddress ||
    proxyStatus !== undefined ||
    chain.some(happenedBeforeConnecting);
  const code = chain.map(codeOf).findLast(Boolean);
  const innermost = redact(messageOf(chain.at(-1)));
  const became: Outcome = notSent ? 'not_sent' : 'unknown';
  return {
    outcome: became,
    temporary: !refusedCertificate && !wrongAddress && proxyStatus !== '403' && proxyStatus !== '407',
    toError(facts: CallFacts): ConnectionError {
      const what = notSent ? 'could not reach the service' : 'lost its connection to the service';
      let advice = notSent ? 'Check the base URL, the network and the proxy, if there is one.' : '';
      if (refusedCertificate)
        advice =
          "The server's certificate was not accepted: check the base URL and the certificates this machine trusts.";
      if (proxyStatus !== undefined)
        advice = `The proxy responded with ${proxyStatus} to CONNECT: check its address, its credentials and what it allows.`;
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

/** An error as its fields, without `instanceof`, because it may come from another realm. */
type Fields = Readonly<Record<string, unknown>>;

/** The error and its chain of causes, at most five: no runtime nests more. */
function causeChain(thrown: unknown): readonly Fields[] {
  const chain: Fields[] = [];
  for (let error = thrown; isObject(error) && chain.length < 5; error = error.cause) chain.push(error);
  return chain;
}

/** The status with which a proxy refused a tunnel to the service, as undici says it. */
function statusOfProxy(error: Fields): string | undefined {
  return /^Proxy response \((\d{3})\) !== 200/.exec(messageOf(error))?.[1];
}

function happenedBeforeConnecting(error: unknown): boolean {
  if (!isObject(error)) return false;
  // Node tries several addresses at once; each must have failed before connecting.
  if (Array.isArray(error.errors) && error.errors.length > 0)
    return error.errors.every(happenedBeforeConnecting);
  return (
    error instanceof NotSentError ||
    error.syscall === 'connect' ||
    codeBeforeConnecting.test(codeOf(error)) ||
    messageOf(error).includes('client error (Connect)') // Deno has no code, only this message
  );
}

/** The code of an error; empty if it has none, or one that may hold something else. */
function codeOf({ code }: Fields): string {
  return typeof code === 'string' && /^[\w/]+$/.test(code) ? code : '';
}

function messageOf(error: Fields | undefined): string {
  const message = error?.message;
  return typeof message === 'string' && message !== '' ? message : 'The connection failed.';
}
