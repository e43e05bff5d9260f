/** Parses a JSON text. Undefined for other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a field of a JSON object, if it is a string. */
export function textIn(value: unknown, name: string): string | undefined {
  const field: unknown = Reflect.get(Object(value), name);
  return typeof field === 'string' ? field : undefined;
}

/** A cache, because the search for causes reads all deliveries of a journal. */
const read = new WeakMap<object, unknown>();

/** Returns the data of the event in a delivery's body. */
export function eventDataIn(delivery: { readonly bodyText: string }): unknown {
  if (!read.has(delivery)) read.set(delivery, Reflect.get(Object(parsed(delivery.bodyText)), 'data'));
  return read.get(delivery);
}
