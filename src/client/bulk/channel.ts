/**
 * An unbuffered channel: `send` waits until `receive` takes the value. So a slow consumer slows the run down.
 */
export function createChannel<Value>() {
  const pending: { readonly value: Value; readonly received: () => void }[] = [];
  const receivers: ((value: Value | undefined) => void)[] = [];
  let closed = false;
  return {
    /** Resolves when the value was received, or immediately after `close`. */
    async send(value: Value): Promise<void> {
      if (closed) return;
      const receiver = receivers.shift();
      if (receiver === undefined) await new Promise<void>((received) => pending.push({ value, received }));
      else receiver(value);
    },
    /** Resolves with the next value. `undefined` after `close`. */
    async receive(): Promise<Value | undefined> {
      const next = pending.shift();
      next?.received();
      if (next !== undefined || closed) return next?.value;
      return new Promise((receiver) => receivers.push(receiver));
    },
    /** Closes the channel for the consumer: drops pending and later values. */
    close(): void {
      closed = true;
      for (const { received } of pending.splice(0)) received();
      for (const receiver of receivers.splice(0)) receiver(undefined);
    },
  };
}
