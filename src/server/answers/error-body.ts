import type { ErrorBody } from '../../contract/error-body.js';
import type { SpecGaps } from '../model/spec-gaps.js';

/** A body as it goes out, and what kind of text it is. */
export interface WrittenBody {
  readonly contentType: string;
  readonly text: string;
}

/** An error's body, of which §7 shows the code alone. Undefined for none. */
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

/** The message may repeat what a request held, so nothing of it is markup. */
function page(status: number, message: string): string {
  const text = message.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!doctype html><title>${status}</title><p>${text}</p>\n`;
}
