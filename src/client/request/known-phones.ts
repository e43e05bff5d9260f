import type { OperationRequest } from '../../contract/operation.js';

/** The phone numbers that a request names, which no text about it may show, however their digits are written. */
export function knownPhones({ query, body }: OperationRequest): readonly string[] {
  const properties: unknown = fieldOf(body, 'properties');
  const phones = [query?.phone, fieldOf(body, 'phone'), fieldOf(properties, 'phone')];
  return phones.filter((phone) => typeof phone === 'string');
}

/** `undefined` also where a getter of the input throws: the check of the input reports that. */
function fieldOf(value: unknown, name: string): unknown {
  try {
    return Reflect.get(Object(value), name);
  } catch {
    return undefined;
  }
}
