/** A field of a request that the server refused. */
export interface RefusedField {
  readonly field: string;
  readonly message: string;
}

/** A request of the page that did not succeed. The message is for the person. */
export class RefusedError extends Error {
  readonly status: number | undefined;
  readonly fields: readonly RefusedField[];

  constructor(message: string, status?: number, fields: readonly RefusedField[] = []) {
    super(message);
    this.name = 'RefusedError';
    this.status = status;
    this.fields = fields;
  }
}

/** The error of a response that is no success. */
export async function refusalOf(response: Response): Promise<RefusedError> {
  const { status } = response;
  const { message, fields } = errorIn(await response.text().catch(() => ''));
  return new RefusedError(message || `The server responded with ${status}.`, status, fields);
}

/** The error in the body of a response. Without a message, the body itself is the message, as far as it is short. */
export function errorIn(body: string): Pick<RefusedError, 'message' | 'fields'> {
  const { message, details } = Object(Object(parsed(body)).error);
  const refused: readonly unknown[] = Array.isArray(details) ? details : [];
  const fields = refused.flatMap((detail) => {
    const { field, message } = Object(detail);
    return typeof message === 'string' ? [{ field: typeof field === 'string' ? field : '', message }] : [];
  });
  return { message: typeof message === 'string' ? message : body.slice(0, 200), fields };
}

/** The value of a JSON text. Undefined for other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as a person writes it: text as it is, and JSON of everything else. */
export function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What an error says, for the person. */
export function messageOf(error: unknown): string {
  const message: unknown = Reflect.get(Object(error), 'message');
  return typeof message === 'string' && message !== '' ? message : String(error);
}
