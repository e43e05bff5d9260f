/** A delivery for a receiver, as it is sent. */
export interface OutgoingDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What a receiver answered. */
export interface ReceiverAnswer {
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;
  /** The `Date` header. */
  readonly date: string | undefined;
}

/** How long a receiver has, as with the service (document §6). In milliseconds. */
export const receiverDeadline = 5_000;

/** More of an answer is not read, however long it is. In bytes, as the service counts. */
const longestAnswer = 4_096;

/** Sends a delivery to a receiver once. Rejects as `fetch` does where no whole answer comes. */
export async function postDelivery(
  to: string,
  { headers, bytes }: OutgoingDelivery,
  signal: AbortSignal,
): Promise<ReceiverAnswer> {
  // A redirect is an answer, like any other.
  const response = await fetch(to, { method: 'POST', headers, body: bytes, redirect: 'manual', signal });
  const date = response.headers.get('Date') ?? undefined;
  return { status: response.status, text: await beginningOf(response), date };
}

/** Whether the service takes an answer with this status for a success. */
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
