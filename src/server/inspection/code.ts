/** Writes a JSON value as a TypeScript literal, with unquoted keys where possible. */
export function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quotedString(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, item]) => `${propertyName(name)}: ${literal(item, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  const space = open === '{' ? ' ' : '';
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (line.length + indent.length <= 80 && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}

function propertyName(name: string): string {
  return /^[a-z_$][\w$]*$/i.test(name) ? name : quotedString(name);
}

function quotedString(text: string): string {
  const json = JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return text.includes("'") ? json : `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}

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
