import type { ErrorBody } from '../../contract/error-body.js';
import type { SpecGaps } from '../model/spec-gaps.js';

/** The text of a body, and its content type. */
export interface WrittenBody {
  readonly contentType: string;
  readonly text: string;
}

/** Writes the body of an error in the format of `specGaps`. The service's document only shows the code. Undefined for no body. */
export function writeErrorBody(
  status: number,
  error: ErrorBody['error'],
  { errorBody }: SpecGaps,
): WrittenBody | undefined {
  switch (errorBody) {
    case 'nested':
      return json({ error });
    case 'flat':
      return json(error);
    case 'code':
      return json({ error: error.code });
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', text: `${error.code}: ${error.message}` };
    case 'html':
      return { contentType: 'text/html; charset=utf-8', text: page(status, error.message) };
    case 'empty':
      return undefined;
  }
}

function json(body: unknown): WrittenBody {
  return { contentType: 'application/json; charset=utf-8', text: JSON.stringify(body) };
}

/** Writes an HTML page. Escapes the message, because it can contain text of the request. */
function page(status: number, message: string): string {
  const text = message.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html><title>${status}</title><p>${text}</p>\n`;
}
