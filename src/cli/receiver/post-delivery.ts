/** The headers and the body of a delivery. */
export interface OutgoingDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A receiver's response. */
export interface ReceiverAnswer {
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;
  /** The `Date` header. */
  readonly date: string | undefined;
}

/** How long a receiver has, in milliseconds. The service's document says five seconds. */
export const receiverDeadline = 5_000;

/** How much of a response is read, in bytes. */
const longestAnswer = 4_096;

/** Sends a delivery to a receiver once. Rejects as `fetch` does if the response is not complete. */
export async function postDelivery(
  to: string,
  { headers, bytes }: OutgoingDelivery,
  signal: AbortSignal,
): Promise<ReceiverAnswer> {
  // Do not follow a redirect: it is a response like any other.
  const response = await fetch(to, { method: 'POST', headers, body: bytes, redirect: 'manual', signal });
  const date = response.headers.get('Date') ?? undefined;
  return { status: response.status, text: await beginningOf(response), date };
}

/** Whether this status is a success for the service. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk.subarray(0, longestAnswer - length), { stream: true });
    length += chunk.byteLength;
    if (length >= longestAnswer) break;
  }
  return text + decoder.decode();
}
