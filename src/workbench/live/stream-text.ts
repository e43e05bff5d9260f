/** An event of a stream, field by field. */
type StreamEvent = Readonly<Record<string, string | undefined>> & { readonly data: string };

/** The events in a stream of this server, which writes each field as one line and ends each event with an empty one. */
export async function* eventsIn(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<StreamEvent> {
  const texts = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let next = await texts.read(); !next.done; next = await texts.read()) {
    const events = (rest + next.value).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const { data, ...others } = Object.fromEntries(event.split('\n').map((line) => line.split(/: (.*)/s)));
      if (data !== undefined) yield { data, ...others };
    }
  }
}
