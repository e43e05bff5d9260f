import { signatureHeader, signWebhook, type TestDelivery } from 'messaging-automation/webhooks';
import { messageBody, secret } from '../../delivery-body.js';

/** A request as it goes over the wire: its bytes in pieces, its headers in order and as often as they are named. */
export interface Sent {
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly chunks: readonly Uint8Array[];
  /** Whether the length is said ahead, or each chunk says its own. */
  readonly framing: 'length' | 'chunked';
  /** Headers that follow a chunked body. */
  readonly trailers?: readonly (readonly [name: string, value: string])[];
  /** Whether the sender goes away in the middle of the body, once the receiver has got the request. */
  readonly breaksOff: boolean;
}

/** What the sender saw: a status, or a connection that ended without one. */
export type Seen = number | 'no response';

/** A rightly signed delivery. */
export function delivery(body: string | Uint8Array = messageBody): Sent {
  return {
    method: 'POST',
    headers: [
      ['Content-Type', 'application/json'],
      [signatureHeader, signWebhook(body, secret)],
    ],
    chunks: [typeof body === 'string' ? new TextEncoder().encode(body) : body],
    framing: 'length',
    breaksOff: false,
  };
}

/** A delivery of `signTestDelivery`, to be sent. */
export function sentAs({ bytes, headers }: Pick<TestDelivery, 'bytes' | 'headers'>): Sent {
  return { ...delivery(bytes), headers: Object.entries(headers) };
}

/** A request of Fetch with the usual message, rightly signed, or with another body or other headers. */
export function signedRequest(body: BodyInit = messageBody, headers: Record<string, string> = {}): Request {
  return new Request('https://example.com/webhooks', {
    method: 'POST',
    headers: { [signatureHeader]: signWebhook(messageBody, secret), ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  });
}

/** A stream that gives these pieces. */
export function streamOf(chunks: Iterable<unknown>): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

/** The same request with another signature header, several, or none. */
export function withSignatures(sent: Sent, ...signatures: readonly string[]): Sent {
  const others = sent.headers.filter(([name]) => name !== signatureHeader);
  return { ...sent, headers: [...others, ...signatures.map((value) => [signatureHeader, value] as const)] };
}

/** A signature of the right form and of no use. */
export const wrongSignature = '0'.repeat(64);

/** The bytes of a text, cut inside its first character beyond ASCII. */
export function splitInsideCodePoint(text: string): readonly Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const inside = bytes.findIndex((byte) => byte > 0x7f) + 1;
  return [bytes.subarray(0, inside), bytes.subarray(inside)];
}
